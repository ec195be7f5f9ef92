#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "adapters/zones/cctz_time_zones.hpp"
#include "adapters/zones/zoneinfo.hpp"
#include "domain/time/types.hpp"
#include "domain/time/yearly.hpp"

namespace sundial::zones {
namespace {

using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

std::string python_says(const std::string& about) {
    const std::string command = "PYTHONTZPATH='" + zoneinfo_directory() +
                                "' " SUNDIAL_PYTHON " '" SUNDIAL_ORACLE "' " + about;
    const auto close = [](std::FILE* pipe) { EXPECT_EQ(pclose(pipe), 0) << "the oracle failed"; };
    const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
    std::string output;
    char buffer[1 << 16];
    while (const auto count = std::fread(buffer, 1, sizeof buffer, pipe.get()))
        output.append(buffer, count);
    return output;
}

/// A wall time and its meanings, in seconds.
struct Sample {
    std::string zone;
    std::string kind;
    std::int64_t wall = 0;
    std::int64_t earlier = 0;
    std::int64_t later = 0;
    std::int64_t boundary = 0;
    friend bool operator==(const Sample&, const Sample&) = default;
};
void PrintTo(const Sample& s, std::ostream* out) {
    *out << s.zone << ' ' << s.kind << ' ' << s.wall << ' ' << s.earlier << ' ' << s.later << ' '
         << s.boundary;
}

Sample our_answer(const Zone& zone, const Sample& asked) {
    const auto found = zone.lookup(local_seconds{seconds{asked.wall}});
    Sample ours{asked.zone,
                "",
                asked.wall,
                found.earlier.time_since_epoch().count(),
                found.later.time_since_epoch().count(),
                found.earlier.time_since_epoch().count()};
    switch (found.kind) {
        case LocalLookup::Kind::unique:
            ours.kind = "unique";
            break;
        case LocalLookup::Kind::gap:
            ours.kind = "gap";
            ours.boundary = found.boundary.time_since_epoch().count();
            break;
        case LocalLookup::Kind::overlap:
            ours.kind = "overlap";
            break;
    }
    return ours;
}

/// If the wall time exists, the clock shows it at each of its instants.
bool reads_back(const Zone& zone, const Sample& sample) {
    if (sample.kind == "gap") return true;
    for (const auto instant : {sample.earlier, sample.later}) {
        const Instant at{seconds{instant}};
        if (wall_time_at(zone, at) != WallTime{seconds{sample.wall}}) return false;
    }
    return true;
}

/// A yearly rule and its next occurrences, in seconds.
struct YearlySample {
    std::string zone;
    unsigned month = 0, day = 0;
    std::int32_t second = 0;
    std::string gap, overlap, leap;
    std::int64_t after = 0;
    std::string instants;
};
void PrintTo(const YearlySample& s, std::ostream* out) {
    *out << s.zone << ' ' << s.month << ' ' << s.day << ' ' << s.second << ' ' << s.gap << ' '
         << s.overlap << ' ' << s.leap << ' ' << s.after << ' ' << s.instants;
}

std::string our_answer(const std::shared_ptr<const Zone>& zone, const YearlySample& asked) {
    const YearlyRule rule{.day = std::chrono::month{asked.month} / std::chrono::day{asked.day},
                          .from = {},
                          .at = TimeOfDay{asked.second},
                          .leap = *leap_policy(asked.leap),
                          .gap = *gap_policy(asked.gap),
                          .overlap = *overlap_policy(asked.overlap)};
    const auto count = static_cast<std::size_t>(std::ranges::count(asked.instants, ',')) + 1;
    std::string text;
    for (const RuleOccurrence& each :
         list_after(*yearly_recurrence(rule, zone), Instant{seconds{asked.after}}, count)) {
        if (!text.empty()) text += ',';
        text += std::to_string(each.instant.time_since_epoch() / seconds{1});
    }
    return text;
}

TEST(Oracle, AgreesOnEveryZoneAroundEveryChangeAndFarAway) {
    const CctzTimeZones zones(zoneinfo_directory());
    std::set<std::string> seen;
    std::map<std::string, int> kinds;
    int wrong = 0;
    std::istringstream lines(python_says("local"));
    for (Sample python; lines >> python.zone >> python.kind >> python.wall >> python.earlier >>
                        python.later >> python.boundary;) {
        const auto zone = zones.find(python.zone);
        ASSERT_TRUE(zone) << python.zone << " is a file of the database, and unknown to us";
        seen.insert(python.zone);
        ++kinds[python.kind];
        if (our_answer(**zone, python) != python || !reads_back(**zone, python)) {
            EXPECT_EQ(our_answer(**zone, python), python);
            EXPECT_TRUE(reads_back(**zone, python)) << testing::PrintToString(python);
            ASSERT_LT(++wrong, 20) << "and so on";
        }
    }
    // The samples cover enough: 2025b has 597 zones, and half of them still change their clocks.
    EXPECT_GT(seen.size(), 400U);
    EXPECT_GT(kinds["gap"], 5'000);
    EXPECT_GT(kinds["overlap"], 5'000);
}

TEST(Oracle, AgreesOnYearlyRulesUnderEveryPolicyAroundEveryChange) {
    const CctzTimeZones zones(zoneinfo_directory());
    std::set<std::string> seen;
    std::map<std::string, int> policies;
    int wrong = 0;
    std::istringstream lines(python_says("yearly"));
    for (YearlySample python; lines >> python.zone >> python.month >> python.day >> python.second >>
                              python.gap >> python.overlap >> python.leap >> python.after >>
                              python.instants;) {
        const auto zone = zones.find(python.zone);
        ASSERT_TRUE(zone) << python.zone;
        seen.insert(python.zone);
        ++policies["gap " + python.gap];
        ++policies["overlap " + python.overlap];
        ++policies["leap " + python.leap];
        if (our_answer(*zone, python) != python.instants) {
            EXPECT_EQ(our_answer(*zone, python), python.instants) << testing::PrintToString(python);
            ASSERT_LT(++wrong, 20) << "and so on";
        }
    }
    EXPECT_GT(seen.size(), 400U);
    EXPECT_EQ(policies.size(), 13U);
    for (const auto& [policy, samples] : policies) EXPECT_GT(samples, 400) << policy;
}

}  // namespace
}  // namespace sundial::zones
