#include <gtest/gtest.h>

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

namespace sundial::zones {
namespace {

using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

struct Sample {
    std::string zone;
    std::string kind;
    std::int64_t wall = 0;
    std::int64_t earlier = 0;
    std::int64_t later = 0;
    friend bool operator==(const Sample&, const Sample&) = default;
};
void PrintTo(const Sample& s, std::ostream* out) {
    *out << s.zone << ' ' << s.kind << ' ' << s.wall << ' ' << s.earlier << ' ' << s.later;
}

std::vector<Sample> python_says() {
    const std::string command =
        "PYTHONTZPATH='" + zoneinfo_directory() + "' " SUNDIAL_PYTHON " '" SUNDIAL_ORACLE "'";
    const auto close = [](std::FILE* pipe) { EXPECT_EQ(pclose(pipe), 0) << "the oracle failed"; };
    const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
    std::string output;
    char buffer[1 << 16];
    while (const auto count = std::fread(buffer, 1, sizeof buffer, pipe.get()))
        output.append(buffer, count);

    std::vector<Sample> samples;
    std::istringstream in(output);
    for (Sample s; in >> s.zone >> s.kind >> s.wall >> s.earlier >> s.later;) samples.push_back(s);
    return samples;
}

Sample we_say(const Zone& zone, const Sample& asked) {
    const auto found = zone.lookup(local_seconds{seconds{asked.wall}});
    Sample ours{asked.zone, "", asked.wall, found.earlier.time_since_epoch().count(),
                found.later.time_since_epoch().count()};
    switch (found.kind) {
        case LocalLookup::Kind::unique:
            ours.kind = "unique";
            break;
        case LocalLookup::Kind::gap:
            ours.kind = "gap";
            break;
        case LocalLookup::Kind::overlap:
            ours.kind = "overlap";
            break;
    }
    return ours;
}

/// Where the wall time exists, the clock shows it at each of its instants.
bool reads_back(const Zone& zone, const Sample& sample) {
    if (sample.kind == "gap") return true;
    for (const auto instant : {sample.earlier, sample.later}) {
        const Instant at{seconds{instant}};
        if (wall_time_at(zone, at) != WallTime{seconds{sample.wall}}) return false;
    }
    return true;
}

TEST(Oracle, AgreesOnEveryZoneAroundEveryChangeAndFarAway) {
    const CctzTimeZones zones(zoneinfo_directory());
    const std::vector<Sample> samples = python_says();
    std::set<std::string> seen;
    std::map<std::string, int> kinds;
    int wrong = 0;
    for (const Sample& python : samples) {
        const auto zone = zones.find(python.zone);
        ASSERT_TRUE(zone) << python.zone << " is a file of the database, and unknown to us";
        seen.insert(python.zone);
        ++kinds[python.kind];
        if (we_say(**zone, python) != python || !reads_back(**zone, python)) {
            EXPECT_EQ(we_say(**zone, python), python);
            EXPECT_TRUE(reads_back(**zone, python)) << testing::PrintToString(python);
            ASSERT_LT(++wrong, 20) << "and so on";
        }
    }
    // The samples are worth something: 2025b has 597 zones, of which half still change their
    // clocks.
    EXPECT_GT(seen.size(), 400U);
    EXPECT_GT(kinds["gap"], 5'000);
    EXPECT_GT(kinds["overlap"], 5'000);
}

}  // namespace
}  // namespace sundial::zones
