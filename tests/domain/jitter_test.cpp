#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "domain/schedule_rule.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

const Instant due = std::chrono::sys_days{std::chrono::January / 1 / 2026};

TEST(JitterOf, NeverChanges) {
    // Computed independently (64-bit FNV-1a, folded): another value would move waiting events.
    EXPECT_EQ(jitter_of("birthday", due, {}, 60s), microseconds{42'945'240});
    EXPECT_EQ(jitter_of("birthday", due + 1us, {}, 60s), microseconds{6'540'247});
}

TEST(JitterOf, IsNothingWithoutJitter) {
    EXPECT_EQ(jitter_of("a", due, {}, 0s), 0us);
    EXPECT_EQ(jitter_of("a", due, due, 60s), 0us);
}

TEST(JitterOf, StaysBelowHalfTheWayToTheNext) {
    for (int i = 0; i < 1000; ++i) {
        const Instant each = due + i * 1s;
        EXPECT_LT(jitter_of("a", each, each + 1s, 3600s), 500ms);
        EXPECT_LT(jitter_of("a", each, each + 876'600h, 60s), 60s);
    }
}

TEST(JitterOf, SpreadsOccurrencesAndSchedules) {
    std::array<int, 10> by_due{}, by_schedule{};
    const auto second_of = [](microseconds jitter) {
        return static_cast<std::size_t>(jitter / 1s);
    };
    for (int i = 0; i < 10'000; ++i) {
        ++by_due.at(second_of(jitter_of("a", due + i * 24h, {}, 10s)));
        ++by_schedule.at(second_of(jitter_of("schedule-" + std::to_string(i), due, {}, 10s)));
    }
    // 1,000 expected in each; five standard deviations are 150.
    for (const auto& spread : {by_due, by_schedule}) {
        EXPECT_GT(*std::ranges::min_element(spread), 850);
        EXPECT_LT(*std::ranges::max_element(spread), 1150);
    }
}

}  // namespace
}  // namespace sundial
