#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/zones/cctz_time_zones.hpp"
#include "adapters/zones/zoneinfo.hpp"
#include "domain/time/cron.hpp"
#include "domain/time/resolve.hpp"
#include "domain/time/text.hpp"
#include "support/instants.hpp"

/// Cron rules in real zones. The changes are in years that no tzdata release edits any more.
namespace sundial::zones {
namespace {

using namespace std::chrono_literals;

const CctzTimeZones& all_zones() {
    static const CctzTimeZones zones(zoneinfo_directory());
    return zones;
}

struct ZoneCase {
    std::string_view text, zone, after, instants;  // separated by blanks
    GapPolicy gap = GapPolicy::boundary;
    OverlapPolicy overlap = OverlapPolicy::earlier;
};
void PrintTo(const ZoneCase& c, std::ostream* out) {
    *out << c.text << " in " << c.zone << " after " << c.after;
}

class CronInZone : public testing::TestWithParam<ZoneCase> {};
TEST_P(CronInZone, Fires) {
    const ZoneCase& c = GetParam();
    const auto rule =
        cron_recurrence(*parse_cron(c.text), *all_zones().find(c.zone), c.gap, c.overlap);
    const auto count = static_cast<std::size_t>(std::ranges::count(c.instants, ' ')) + 1;
    std::string instants;
    for (const auto& occurrence : list_after(*rule, at(c.after), count))
        instants += (instants.empty() ? "" : " ") + format_instant(occurrence.instant);
    EXPECT_EQ(instants, c.instants);
}
INSTANTIATE_TEST_SUITE_P(
    Gaps, CronInZone,
    testing::Values(ZoneCase{"30 2 * * *", "Europe/Berlin", "2025-03-29T12:00:00Z",
                             "2025-03-30T01:00:00Z 2025-03-31T00:30:00Z"},
                    ZoneCase{"0 0 * * *", "America/Santiago", "2024-09-07T12:00:00Z",
                             "2024-09-08T04:00:00Z 2024-09-09T03:00:00Z"},
                    ZoneCase{"15 2 * * *", "Australia/Lord_Howe", "2024-10-05T12:00:00Z",
                             "2024-10-05T15:45:00Z 2024-10-06T15:15:00Z", GapPolicy::later},
                    ZoneCase{"30 2 * * *", "Antarctica/Troll", "2024-03-30T12:00:00Z",
                             "2024-03-31T01:00:00Z 2024-04-01T00:30:00Z"},
                    ZoneCase{"0 * * * *", "Antarctica/Troll", "2024-03-31T00:00:00Z",
                             "2024-03-31T01:00:00Z 2024-03-31T02:00:00Z"},
                    ZoneCase{"0 9 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z",
                             "2011-12-29T19:00:00Z 2011-12-30T19:00:00Z"},
                    ZoneCase{"0 9 21 8 *", "Pacific/Kwajalein", "1993-01-01T00:00:00Z",
                             "1994-08-20T21:00:00Z"},
                    ZoneCase{"*/30 * * * *", "Pacific/Apia", "2011-12-30T09:00:00Z",
                             "2011-12-30T09:30:00Z 2011-12-30T10:00:00Z 2011-12-30T10:30:00Z"}));
INSTANTIATE_TEST_SUITE_P(
    Overlaps, CronInZone,
    testing::Values(ZoneCase{"30 1 * * *", "Europe/Dublin", "2025-10-25T12:00:00Z",
                             "2025-10-26T00:30:00Z 2025-10-27T01:30:00Z"},
                    ZoneCase{"30 1 * * *", "Europe/Dublin", "2025-10-25T12:00:00Z",
                             "2025-10-26T00:30:00Z 2025-10-26T01:30:00Z 2025-10-27T01:30:00Z",
                             GapPolicy::boundary, OverlapPolicy::both},
                    ZoneCase{"*/15 1 * * *", "Australia/Lord_Howe", "2025-04-05T14:15:00Z",
                             "2025-04-05T14:30:00Z 2025-04-05T14:45:00Z 2025-04-05T15:00:00Z "
                             "2025-04-05T15:15:00Z 2025-04-06T14:30:00Z"},
                    ZoneCase{"45 1 * * *", "Australia/Lord_Howe", "2025-04-05T00:00:00Z",
                             "2025-04-05T15:15:00Z", GapPolicy::boundary, OverlapPolicy::later}));
// New York moved from local mean time, -4:56:02, to -5 at noon of its new clock; Nepal moved
// forward by 15 minutes.
INSTANTIATE_TEST_SUITE_P(
    ChangesOfTheOffsetItself, CronInZone,
    testing::Values(ZoneCase{"2 12 * * *", "America/New_York", "1883-11-17T00:00:00Z",
                             "1883-11-17T16:58:02Z 1883-11-18T16:58:02Z 1883-11-19T17:02:00Z"},
                    ZoneCase{"*/30 * * * *", "America/New_York", "1883-11-18T16:20:00Z",
                             "1883-11-18T16:26:02Z 1883-11-18T16:56:02Z 1883-11-18T17:00:00Z "
                             "1883-11-18T17:30:00Z"},
                    ZoneCase{"0,10,20 0 * * *", "Asia/Kathmandu", "1985-12-31T12:00:00Z",
                             "1985-12-31T18:30:00Z 1985-12-31T18:35:00Z 1986-01-01T18:15:00Z"}));

/// The rules rely on this: no zone changes its clock again before the last change is complete.
TEST(Zones, ChangeTheirClocksFurtherApartThanTheyMoveThem) {
    const auto data = all_zones().current();
    for (const std::string& name : data->names()) {
        const auto zone = *all_zones().find(name);
        std::optional<ZoneChange> before;
        for (auto change = zone->next_change(earliest_instant);
             change && change->at < at("2500-01-01T00:00:00Z");
             change = zone->next_change(change->at)) {
            if (before) {
                const auto apart = change->at - before->at;
                EXPECT_GT(apart, std::chrono::abs(before->after - before->before) + 3h) << name;
                EXPECT_GT(apart, std::chrono::abs(change->after - change->before) + 3h) << name;
            }
            before = change;
        }
    }
}

/// The instants of `rule`, computed by resolving each of its nominal minutes.
std::vector<Instant> looked_up(const Zone& zone, GapPolicy gap, OverlapPolicy overlap,
                               TimeOfDay time, Date from, Date until) {
    std::vector<Instant> found;
    for (auto day = std::chrono::local_days{from}; day < std::chrono::local_days{until};
         day += std::chrono::days{1}) {
        const LocalLookup lookup = zone.lookup(day + time);
        if (lookup.kind == LocalLookup::Kind::gap && lookup.later - lookup.earlier >= 3h) continue;
        const Passes passes = resolve_recurring(day + time, zone, gap, overlap);
        if (passes.first) found.push_back(*passes.first);
        if (passes.second) found.push_back(*passes.second);
    }
    return found;
}

TEST(CronInEveryZone, ADailyJobRunsWhenALookupOfEachDaySays) {
    using std::chrono::January;
    constexpr Date from = std::chrono::year{2008} / January / 1;
    constexpr Date until = std::chrono::year{2013} / January / 1;
    const auto data = all_zones().current();
    for (const std::string& name : data->names()) {
        const auto zone = *all_zones().find(name);
        for (const auto& [gap, overlap] : {std::pair{GapPolicy::boundary, OverlapPolicy::earlier},
                                           std::pair{GapPolicy::earlier, OverlapPolicy::both}}) {
            const auto expected =
                looked_up(*zone, gap, overlap, TimeOfDay{2 * 3600 + 30 * 60}, from, until);
            const auto rule = cron_recurrence(*parse_cron("30 2 * * *"), zone, gap, overlap);
            std::vector<Instant> ours;
            for (const auto& occurrence : list_after(*rule, expected.front() - 1s, expected.size()))
                ours.push_back(occurrence.instant);
            ASSERT_EQ(ours, expected) << name;
            ASSERT_EQ(rule->count(expected.front() - 1s, expected.back()), expected.size()) << name;
        }
    }
}

TEST(CronCount, CountsTheDensestRuleOfAllYearsAtOnce) {
    const auto zone = *all_zones().find("Europe/Paris");
    const auto rule = cron_recurrence(*parse_cron("* * * * * *"), zone);
    constexpr std::uint64_t seconds = 3'652'059ULL * 86'400;
    EXPECT_EQ(rule->count(Instant::min(), Instant::max()), seconds);
    // An equally dense fixed-time job: each second in a gap moves onto another.
    const auto fixed = cron_recurrence(*parse_cron("* 0-59 0-23 * * *"), zone, GapPolicy::later,
                                       OverlapPolicy::both);
    EXPECT_EQ(fixed->count(Instant::min(), Instant::max()), seconds);
}

}  // namespace
}  // namespace sundial::zones
