#include "adapters/postgres/pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "adapters/postgres/transaction_sql.hpp"
#include "application/ports/failures.hpp"
#include "application/ports/store.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class PoolTest : public testing::Test {
protected:
    static void wait_until_waiting(const Pool& pool, std::size_t count) {
        while (pool.use().waiting != count) std::this_thread::yield();
    }

    const std::string url_ = PostgresCluster::shared().create_database();
    RecordedLog log_;
};

TEST_F(PoolTest, ServesCallersInOrder) {
    Pool pool{url_, 1, 60s, log_};
    std::vector<int> served;
    std::unique_ptr<Pool::Loan> held{new Pool::Loan{pool.borrow()}};
    const auto waits = [&](int name) {
        return std::jthread{[&, name] {
            const auto loan = pool.borrow();
            served.push_back(name);  // one thread at a time has the connection
        }};
    };
    const std::jthread first = waits(1);
    wait_until_waiting(pool, 1);
    const std::jthread second = waits(2);
    wait_until_waiting(pool, 2);
    held.reset();
    const auto again = pool.borrow();  // served last, although the connection is free now
    EXPECT_THAT(served, ElementsAre(1, 2));
}

TEST_F(PoolTest, KeepsConnectionsForTheScheduler) {
    Pool pool{url_, 5, 1ms, log_};
    std::vector<std::unique_ptr<Pool::Loan>> of_requests;
    const auto borrow = [&] {
        of_requests.push_back(std::unique_ptr<Pool::Loan>{new Pool::Loan{pool.borrow()}});
    };
    for (int i = 0; i < 3; ++i) borrow();
    EXPECT_THROW(borrow(), Unavailable);
    const SchedulerScope scheduler;
    const auto claims = pool.borrow();
    const auto settles = pool.borrow();
    EXPECT_THROW((void)pool.borrow(), Unavailable);
    of_requests.clear();
    const auto plans = pool.borrow();
    EXPECT_EQ(pool.use().in_use, 3U);
}

TEST_F(PoolTest, ServesTheSchedulerFirst) {
    Pool pool{url_, 2, 60s, log_};
    std::vector<std::string> served;
    auto held = std::unique_ptr<Pool::Loan>{new Pool::Loan{pool.borrow()}};
    std::unique_ptr<Pool::Loan> of_scheduler;
    {
        const SchedulerScope scope;
        of_scheduler.reset(new Pool::Loan{pool.borrow()});
    }
    const std::jthread request{[&] {
        const auto loan = pool.borrow();
        served.emplace_back("request");
    }};
    wait_until_waiting(pool, 1);
    const std::jthread scheduler{[&] {
        const SchedulerScope scope;
        const auto loan = pool.borrow();
        served.emplace_back("scheduler");
        of_scheduler.reset();
    }};
    wait_until_waiting(pool, 2);
    held.reset();
    wait_until_waiting(pool, 0);
    while (pool.use().in_use > 0) std::this_thread::yield();
    EXPECT_THAT(served, ElementsAre("scheduler", "request"));
}

TEST_F(PoolTest, ACallerThatGivesUpBlocksNoOther) {
    Pool pool{url_, 1, 1ms, log_};
    {
        const auto held = pool.borrow();
        EXPECT_THROW((void)pool.borrow(), Unavailable);
        EXPECT_EQ(pool.use().waiting, 0U);
    }
    EXPECT_FALSE(pool.borrow()->is_broken());
}

TEST_F(PoolTest, LendsExtraConnectionsOfThoseForRequestsUntilOneIsLeft) {
    Pool pool{url_, 8, 1ms, log_};
    const SchedulerScope scheduler;
    const auto own = pool.borrow();
    std::vector<std::unique_ptr<Pool::Loan>> extras;
    for (int i = 0; i < 3; ++i) {
        extras.push_back(pool.borrow_extra());
        ASSERT_TRUE(extras.back());
        EXPECT_NE((*extras.back())->backend_process(), own->backend_process());
    }
    EXPECT_EQ(pool.borrow_extra(), nullptr);
    EXPECT_EQ(pool.use().in_use, 4U);
    std::thread{[&] { EXPECT_NO_THROW((void)pool.borrow()); }}.join();  // a request

    extras.pop_back();
    EXPECT_EQ(pool.use().idle, 2U);  // with the request's
    EXPECT_NE(pool.borrow_extra(), nullptr);
}

TEST_F(PoolTest, LendsNoExtraConnectionThatIsTheLastOfAll) {
    Pool pool{url_, 4, 1ms, log_};
    std::vector<std::unique_ptr<Pool::Loan>> of_scheduler;
    const SchedulerScope scheduler;
    for (int i = 0; i < 3; ++i) {
        of_scheduler.push_back(std::unique_ptr<Pool::Loan>{new Pool::Loan{pool.borrow()}});
    }
    EXPECT_EQ(pool.borrow_extra(), nullptr);
    of_scheduler.pop_back();
    EXPECT_NE(pool.borrow_extra(), nullptr);
}

TEST_F(PoolTest, LendsNoExtraConnectionIfNoneCanBeOpened) {
    Pool pool{"postgresql:///nowhere?host=/nowhere", 8, 1ms, log_};
    EXPECT_EQ(pool.borrow_extra(), nullptr);
    EXPECT_EQ(pool.use().in_use, 0U);
}

TEST_F(PoolTest, ReusesReadOnlyConnectionsAtOnce) {
    Pool pool{url_, 1, 1ms, log_};
    const auto process_after = [&](const Statement& begin) {
        const auto loan = pool.borrow();
        const std::array calls{Call{begin}, Call{sql::backend_identity}};
        const auto answers = loan->run(calls, false, 5s);  // warns inside a transaction
        loan->leave();
        loan->leave();  // nothing left to roll back
        loan->roll_back(5s);
        EXPECT_TRUE(loan->is_quiet());
        return answers[1].get<std::int32_t>(0, 0);
    };
    const auto process = process_after(sql::begin_read);
    EXPECT_EQ(process_after(sql::begin_write), process);
    EXPECT_EQ(process_after(sql::begin_read), process);
    EXPECT_THAT(log_.lines(), IsEmpty());
}

}  // namespace
}  // namespace sundial::postgres
