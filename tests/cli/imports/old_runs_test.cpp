#include "cli/imports/old_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "adapters/zones/cctz_time_zones.hpp"
#include "adapters/zones/zoneinfo.hpp"
#include "domain/time/text.hpp"

namespace sundial::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Instant moment(const std::string& text) { return parse_instant(text)->instant; }

std::vector<std::string> texts(const std::vector<Instant>& runs) {
    std::vector<std::string> all;
    for (const Instant run : runs) all.push_back(format_instant(run));
    return all;
}

class OldRuns : public testing::Test {
protected:
    [[nodiscard]] EntryRule rule(const ImportedEntry& entry) const {
        auto read = rule_of_entry(entry, *zones_->current(), moment("2027-01-01T00:00:00Z"));
        EXPECT_TRUE(read) << read.error().message;
        return *std::move(read);
    }
    static ImportedEntry cron(const std::string& text, OldClock clock) {
        ImportedEntry entry{.rule = text, .zone = "Europe/Berlin"};
        entry.gap = clock == OldClock::vixie ? "boundary" : "skip";
        entry.overlap = clock == OldClock::quartz ? "later" : "earlier";
        entry.clock = clock;
        return entry;
    }

    std::unique_ptr<const TimeZones> zones_ =
        std::make_unique<zones::CctzTimeZones>(zones::zoneinfo_directory());
};

// Berlin: 02:00 -> 03:00 on 2027-03-28 at 01:00 UTC; 03:00 -> 02:00 on 2027-10-31 at 01:00 UTC.

TEST_F(OldRuns, OfFixedTimesInAGap) {
    const struct {
        OldClock clock;
        const char* first;
    } cases[]{{OldClock::vixie, "2027-03-28T01:00:00Z"},
              {OldClock::quartz, "2027-03-29T00:30:00Z"},
              {OldClock::eventbridge, "2027-03-29T00:30:00Z"}};
    for (const auto& each : cases) {
        const EntryRule read = rule(cron("30 2 * * *", each.clock));
        EXPECT_THAT(texts(list_old_runs(read, each.clock, moment("2027-03-27T12:00:00Z"),
                                        latest_instant, 1)),
                    ElementsAre(each.first));
    }
}

TEST_F(OldRuns, OfFixedTimesInAnOverlap) {
    const struct {
        OldClock clock;
        const char* first;
    } cases[]{{OldClock::vixie, "2027-10-31T00:30:00Z"},
              {OldClock::quartz, "2027-10-31T01:30:00Z"},
              {OldClock::eventbridge, "2027-10-31T00:30:00Z"}};
    for (const auto& each : cases) {
        const EntryRule read = rule(cron("30 2 * * *", each.clock));
        EXPECT_THAT(texts(list_old_runs(read, each.clock, moment("2027-10-30T12:00:00Z"),
                                        latest_instant, 2)),
                    ElementsAre(each.first, "2027-11-01T01:30:00Z"));
    }
}

TEST_F(OldRuns, OfSundialEqualThoseOfFixedTimesInEverySystem) {
    for (const OldClock clock : {OldClock::vixie, OldClock::quartz, OldClock::eventbridge}) {
        const EntryRule read = rule(cron("30 2 * * *", clock));
        const auto differences = compare_at_changes(read, clock, moment("2027-01-01T00:00:00Z"));
        ASSERT_THAT(differences, SizeIs(2));
        for (const ChangeDifference& each : differences) {
            EXPECT_THAT(texts(each.only_old), IsEmpty());
            EXPECT_THAT(texts(each.only_new), IsEmpty());
        }
    }
}

TEST_F(OldRuns, OfWildcardsFollowRealTimeOnlyInCron) {
    const auto differences_of = [&](OldClock clock) {
        const EntryRule read = rule(cron("*/30 * * * *", clock));
        return compare_at_changes(read, clock, moment("2027-06-01T00:00:00Z"));
    };
    const auto in_cron = differences_of(OldClock::vixie);
    ASSERT_THAT(in_cron, SizeIs(2));
    EXPECT_THAT(texts(in_cron[0].only_new), IsEmpty());
    EXPECT_THAT(texts(in_cron[0].only_old), IsEmpty());
    EXPECT_THAT(texts(differences_of(OldClock::quartz).at(0).only_new),
                ElementsAre("2027-10-31T00:00:00Z", "2027-10-31T00:30:00Z"));
    EXPECT_THAT(texts(differences_of(OldClock::eventbridge).at(0).only_new),
                ElementsAre("2027-10-31T01:00:00Z", "2027-10-31T01:30:00Z"));
}

TEST_F(OldRuns, LieBetweenTheYearsOfTheEntry) {
    ImportedEntry entry = cron("0 12 1 1 *", OldClock::quartz);
    entry.starts_at = "2028-01-01T00:00:00";
    entry.ends_at = "2029-12-31T23:59:59";
    const EntryRule read = rule(entry);
    const Instant from = moment("2026-06-01T00:00:00Z");
    for (const auto& runs : {list_old_runs(read, OldClock::quartz, from, latest_instant, 5),
                             list_new_runs(read, from, latest_instant, 5)})
        EXPECT_THAT(texts(runs), ElementsAre("2028-01-01T11:00:00Z", "2029-01-01T11:00:00Z"));
}

TEST_F(OldRuns, OfACalendarAreThoseOfItsRule) {
    ImportedEntry entry{.trigger = "rrule",
                        .rule = "DTSTART;TZID=Europe/Berlin:20270327T023000\nRRULE:FREQ=DAILY",
                        .zone = "Europe/Berlin"};
    entry.gap = "skip";
    entry.overlap = "earlier";
    const EntryRule read = rule(entry);
    EXPECT_THAT(texts(list_old_runs(read, OldClock::icalendar, moment("2027-03-01T00:00:00Z"),
                                    latest_instant, 2)),
                ElementsAre("2027-03-27T01:30:00Z", "2027-03-29T00:30:00Z"));
    EXPECT_THAT(compare_at_changes(read, OldClock::icalendar, moment("2027-03-01T00:00:00Z")),
                SizeIs(2));
}

TEST_F(OldRuns, OfIntervalsKnowNoClockChange) {
    const EntryRule read = rule({.trigger = "every", .rule = "PT12H", .zone = "UTC"});
    const Instant start = moment("2027-01-01T00:00:00Z");
    EXPECT_THAT(texts(list_new_runs(read, start, latest_instant, 1)),
                ElementsAre("2027-01-01T12:00:00Z"));
    EXPECT_THAT(compare_at_changes(read, OldClock::elapsed, start), IsEmpty());
}

TEST_F(OldRuns, EndWithoutRunsForRulesOfAbsentDays) {
    const auto refused = rule_of_entry({.rule = "0 0 30 2 *", .zone = "UTC"}, *zones_->current(),
                                       moment("2027-01-01T00:00:00Z"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, TimeErrorCode::never_fires);
    EXPECT_EQ(rule_of_entry({.rule = "0 0 * * *", .zone = "Mars/Base"}, *zones_->current(), {})
                  .error()
                  .code,
              TimeErrorCode::unknown_zone);
}

}  // namespace
}  // namespace sundial::cli
