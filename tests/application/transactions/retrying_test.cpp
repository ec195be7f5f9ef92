#include "application/transactions/retrying.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "application/ports/failures.hpp"
#include "support/manual_timing.hpp"

namespace sundial {
namespace {

const StreamOptimisticLock conflict{
    .stream = {"order", "1"}, .expected = ExpectedVersion::exactly(4), .actual = 5};

class Retrying : public testing::Test {
protected:
    template <class Operation>
    Result<int> run(Operation operation) {
        return retry({.max_attempts = 5}, operation, {.retry_thrown = is_unavailable}, timing);
    }
    unsigned calls = 0;
    ManualTiming timing;
};

TEST_F(Retrying, RT03_AStreamConflictReportsTheNumberOfCalls) {
    const auto answer = run([&]() -> Result<int> {
        ++calls;
        return conflict;
    });
    EXPECT_EQ(calls, 5U);
    ASSERT_TRUE(std::holds_alternative<StreamOptimisticLock>(answer.error()));
    EXPECT_EQ(std::get<StreamOptimisticLock>(answer.error()).attempts, 5U);
}

TEST_F(Retrying, RT02_ARowsConflictIsTriedAgain) {
    const auto answer = run([&]() -> Result<int> {
        if (++calls < 3) return OptimisticLock{Noun::user, "ada", Version{1}, Version{2}};
        return 7;
    });
    ASSERT_TRUE(answer);
    EXPECT_EQ(calls, 3U);
}

TEST_F(Retrying, RT04_AFinalErrorIsNotRetried) {
    const auto answer = run([&]() -> Result<int> {
        ++calls;
        return StreamDeleted{conflict.stream};
    });
    EXPECT_EQ(calls, 1U);
    EXPECT_TRUE(std::holds_alternative<StreamDeleted>(answer.error()));
}

TEST_F(Retrying, RetriesOnlyUnavailableStorage) {
    const auto answer = run([&]() -> Result<int> {
        if (++calls < 3) throw Unavailable{"connection refused"};
        return 7;
    });
    ASSERT_TRUE(answer);
    EXPECT_EQ(calls, 3U);

    calls = 0;
    EXPECT_THROW((void)run([&]() -> Result<int> {
                     ++calls;
                     throw Corrupt{"no event"};
                 }),
                 Corrupt);
    EXPECT_EQ(calls, 1U);
}

}  // namespace
}  // namespace sundial
