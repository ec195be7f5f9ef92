#include "domain/time/recurrence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace sundial {
namespace {

using namespace std::chrono_literals;
using std::chrono::seconds;
using std::chrono::sys_days;
using testing::ElementsAre;
using testing::IsEmpty;

const Instant january_2020 = sys_days{std::chrono::January / 1 / 2020};

/// An occurrence every few seconds from `january_2020` to the end of the calendar. Counts the
/// calls.
class EverySo final : public Recurrence {
public:
    explicit EverySo(seconds every) : every_(every) {}

    [[nodiscard]] std::unique_ptr<OccurrenceCursor> after(Instant after,
                                                          Skipped /*skipped*/) const override {
        return std::make_unique<Cursor>(*this, number_after(after));
    }
    [[nodiscard]] std::uint64_t count(Instant after, Instant until) const override {
        ++counted;
        return until <= after ? 0 : number_after(until) - number_after(after);
    }
    mutable std::uint64_t walked = 0, counted = 0;

private:
    class Cursor final : public OccurrenceCursor {
    public:
        Cursor(const EverySo& rule, std::uint64_t number) : rule_(rule), number_(number) {}
        std::optional<RuleOccurrence> next() override {
            ++rule_.walked;
            const Instant at = january_2020 + rule_.every_ * static_cast<std::int64_t>(number_++);
            if (!in_range(at)) return std::nullopt;
            return RuleOccurrence{at, WallTime{at.time_since_epoch()}};
        }

    private:
        const EverySo& rule_;
        std::uint64_t number_;
    };

    /// Number of the first occurrence after `instant`.
    [[nodiscard]] std::uint64_t number_after(Instant instant) const {
        if (instant < january_2020) return 0;
        return static_cast<std::uint64_t>((instant - january_2020) / every_) + 1;
    }

    seconds every_;
};

std::vector<Instant> instants(const std::vector<RuleOccurrence>& occurrences) {
    std::vector<Instant> found;
    for (const RuleOccurrence& occurrence : occurrences) found.push_back(occurrence.instant);
    return found;
}

TEST(Recurrence, NextIsStrictlyAfter) {
    const EverySo hourly{1h};
    EXPECT_EQ(next_after(hourly, january_2020)->instant, january_2020 + 1h);
    EXPECT_EQ(next_after(hourly, Instant::min())->instant, january_2020);
    EXPECT_EQ(next_after(hourly, latest_instant), std::nullopt);
}

TEST(Recurrence, AListEndsWithTheRule) {
    const EverySo hourly{1h};
    EXPECT_THAT(instants(list_after(hourly, january_2020, 2)),
                ElementsAre(january_2020 + 1h, january_2020 + 2h));
    EXPECT_THAT(instants(list_after(hourly, latest_instant - 90min, 5)),
                ElementsAre(latest_instant - 3599s));
}

TEST(Recurrence, TheNewestAscendAndEndAtTheBoundInclusively) {
    const EverySo hourly{1h};
    EXPECT_THAT(instants(newest_until(hourly, january_2020, january_2020 + 5h, 2)),
                ElementsAre(january_2020 + 4h, january_2020 + 5h));
    EXPECT_THAT(instants(newest_until(hourly, january_2020 + 3h, january_2020 + 5h, 9)),
                ElementsAre(january_2020 + 4h, january_2020 + 5h));
    EXPECT_THAT(newest_until(hourly, january_2020 + 5h, january_2020 + 5h, 9), IsEmpty());
    EXPECT_THAT(newest_until(hourly, january_2020, january_2020 + 5h, 0), IsEmpty());
}

TEST(Recurrence, TheNewestOfADenseRuleAreFoundWithoutWalkingThroughTheRest) {
    const EverySo each_second{1s};
    EXPECT_THAT(instants(newest_until(each_second, Instant::min(), Instant::max(), 2)),
                ElementsAre(latest_instant - 1s, latest_instant));
    EXPECT_LT(each_second.walked, 10U);
}

TEST(Recurrence, TheNewestOfASparseRuleReachBackAsFarAsNeeded) {
    const EverySo sparse{seconds{std::chrono::years{100}}};
    EXPECT_EQ(newest_until(sparse, Instant::min(), Instant::max(), 3).size(), 3U);
    EXPECT_EQ(newest_until(sparse, Instant::min(), january_2020, 3).size(), 1U);
}

TEST(Recurrence, TheNewestOfASparseRuleAreCountedOnce) {
    const EverySo sparse{seconds{std::chrono::years{100}}};
    EXPECT_EQ(newest_until(sparse, Instant::min(), Instant::max(), 10'000).size(), 80U);
    EXPECT_LT(sparse.counted, 45U);  // doubling from a second to 10,000 years, and no halving
}

TEST(Recurrence, NotesHaveTheNamesOfTheInterface) {
    EXPECT_EQ(to_string(OccurrenceNote::none), "");
    EXPECT_EQ(to_string(OccurrenceNote::gap_boundary), "gap_boundary");
    EXPECT_TRUE(is_skip(OccurrenceNote::leap_skipped));
    EXPECT_FALSE(is_skip(OccurrenceNote::leap_moved));
}

}  // namespace
}  // namespace sundial
