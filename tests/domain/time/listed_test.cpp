#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "domain/time/cron.hpp"
#include "domain/time/recurrence.hpp"
#include "domain/time/text.hpp"
#include "domain/time/yearly.hpp"
#include "support/fake_zone.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::ElementsAre;

/// `2027-03-14T07:00:00Z gap_boundary`, the first `count`.
std::vector<std::string> listed(const Recurrence& rule, const Zone& zone, Instant after,
                                std::size_t count) {
    ListedOccurrences occurrences{rule, zone, after};
    std::vector<std::string> lines;
    while (lines.size() < count) {
        const auto next = occurrences.next();
        if (!next) break;
        const auto note = note_of(*next);
        lines.push_back(format_instant(next->occurrence.instant) +
                        (note.empty() ? "" : ' ' + std::string{note}));
    }
    return lines;
}

std::unique_ptr<Recurrence> daily_at_two_thirty(const std::shared_ptr<const Zone>& zone,
                                                GapPolicy gap = GapPolicy::boundary) {
    return cron_recurrence(parse_cron("30 2 * * *").value(), zone, gap);
}

class Listed : public testing::Test {
protected:
    std::shared_ptr<const Zone> zone = std::make_shared<FakeZone>(new_york());
};

TEST_F(Listed, NotesAGapAndTheNewOffsetAfterIt) {
    const auto rule = daily_at_two_thirty(zone);
    EXPECT_THAT(listed(*rule, *zone, sys_days{March / 13 / 2027}, 4),
                ElementsAre("2027-03-13T07:30:00Z", "2027-03-14T07:00:00Z gap_boundary",
                            "2027-03-15T06:30:00Z", "2027-03-16T06:30:00Z"));
}

TEST_F(Listed, ShowsSkippedTimesAndThenTheNewOffset) {
    const auto rule = daily_at_two_thirty(zone, GapPolicy::skip);
    EXPECT_THAT(listed(*rule, *zone, sys_days{March / 13 / 2027}, 4),
                ElementsAre("2027-03-13T07:30:00Z", "2027-03-14T07:00:00Z gap_skipped",
                            "2027-03-15T06:30:00Z offset_changed", "2027-03-16T06:30:00Z"));
}

TEST_F(Listed, NotesTheNewOffsetOnTheFirstLineOfAPage) {
    const auto rule = cron_recurrence(parse_cron("0 12 * * *").value(), zone);
    EXPECT_THAT(listed(*rule, *zone, sys_days{March / 14 / 2027}, 2),
                ElementsAre("2027-03-14T16:00:00Z offset_changed", "2027-03-15T16:00:00Z"));
    EXPECT_THAT(listed(*rule, *zone, sys_days{March / 15 / 2027}, 1),
                ElementsAre("2027-03-15T16:00:00Z"));
}

TEST_F(Listed, HasNothingToCompareTheVeryFirstWith) {
    const YearlyRule rule{.day = February / 29, .from = year{2024}};
    const auto utc = std::make_shared<FakeZone>(utc_zone());
    EXPECT_THAT(listed(*yearly_recurrence(rule, utc), *utc, Instant::min(), 3),
                ElementsAre("2024-02-29T09:00:00Z", "2025-02-28T09:00:00Z leap_moved",
                            "2026-02-28T09:00:00Z leap_moved"));
}

TEST_F(Listed, EndsWithItsRule) {
    const auto rule = daily_at_two_thirty(zone);
    ListedOccurrences occurrences{*rule, *zone, latest_instant};
    EXPECT_FALSE(occurrences.next());
    EXPECT_FALSE(occurrences.next());
}

}  // namespace
}  // namespace sundial
