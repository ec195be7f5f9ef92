#include "adapters/zones/cctz_time_zones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "adapters/zones/zoneinfo.hpp"
#include "domain/time/resolve.hpp"
#include "domain/time/text.hpp"

namespace sundial::zones {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::MatchesRegex;
using testing::Not;

const CctzTimeZones& installed() {
    static const CctzTimeZones zones(zoneinfo_directory());
    return zones;
}

std::shared_ptr<const Zone> zone(std::string_view id) { return *installed().find(id); }

std::string due(std::string_view wall, std::string_view id) {
    const auto resolved = resolve(parse_local(wall)->wall, *zone(id), GapPolicy::compatible,
                                  OverlapPolicy::compatible);
    return resolved ? format_instant(*resolved->instant)
                    : std::string(to_string(resolved.error().code));
}

TEST(CctzTimeZones, TellsTheRelease) {
    EXPECT_THAT(installed().release(), MatchesRegex("20[0-9][0-9][a-z]+"));
}

TEST(CctzTimeZones, ListsWhatItTakesSorted) {
    const auto names = installed().names();
    EXPECT_TRUE(std::ranges::is_sorted(names));
    EXPECT_THAT(names, IsSupersetOf({"Europe/Paris", "Europe/Kyiv", "UTC", "Etc/GMT+5"}));
    for (const std::string& name : names) {
        const auto found = installed().find(name);
        ASSERT_TRUE(found) << name;
        EXPECT_EQ((*found)->name(), name);
    }
}

TEST(CctzTimeZones, TakesLinksUnderTheirOwnNames) {
    for (const char* id : {"US/Pacific", "Asia/Calcutta", "EST5EDT", "GB", "Etc/GMT+5", "UTC"}) {
        ASSERT_TRUE(installed().find(id)) << id;
        EXPECT_EQ(zone(id)->name(), id);
    }
    EXPECT_EQ(zone("Etc/GMT+5")->offset_at(Instant{}), -5h);
}

TEST(CctzTimeZones, RefusesWhatIsNoZoneOrLink) {
    for (const std::string id : {"",
                                 "PST",
                                 "CEST",
                                 "IST",
                                 "+02:00",
                                 "UTC+2",
                                 "GMT+5",
                                 "EST5EDT,M3.2.0,M11.1.0",
                                 "<+03>-3",
                                 "Pacific Standard Time",
                                 "posix/Europe/Paris",
                                 "right/Europe/Paris",
                                 "posixrules",
                                 "localtime",
                                 "Factory",
                                 "Fixed/UTC+05:30:00",
                                 "libc:localtime",
                                 "libc:Europe/Paris",
                                 "sundial-1",
                                 "Europe",
                                 "Europe/",
                                 "Europe//Paris",
                                 "/Europe/Paris",
                                 "./Europe/Paris",
                                 "../zoneinfo/Europe/Paris",
                                 "Europe/../Europe/Paris",
                                 "/usr/share/zoneinfo/Europe/Paris",
                                 "/etc/localtime",
                                 ":Europe/Paris",
                                 "europe/paris",
                                 "Europe/paris",
                                 "EUROPE/PARIS",
                                 "utc",
                                 " Europe/Paris",
                                 "Europe/Paris ",
                                 "Europe/Paris\n",
                                 "Europe/Par\xc3\xads",
                                 "tzdata.zi",
                                 "zone.tab",
                                 "leapseconds"}) {
        const auto found = installed().find(id);
        ASSERT_FALSE(found) << id;
        EXPECT_EQ(found.error().code, TimeErrorCode::unknown_zone) << id;
    }
    EXPECT_FALSE(installed().find(std::string("Europe/Paris\0", 13)));
    EXPECT_FALSE(installed().find(std::string("Europe/Paris\0.x", 15)));
}

std::string message(std::string_view id) { return installed().find(id).error().message; }

TEST(CctzTimeZones, SuggestsWhatWasMeant) {
    EXPECT_EQ(message("Europe/Kyjv"),
              "'Europe/Kyjv' is not an IANA zone; did you mean 'Europe/Kyiv'?");
    EXPECT_THAT(message("europe/paris"), HasSubstr("did you mean 'Europe/Paris'?"));
    EXPECT_THAT(message("utc"), HasSubstr("did you mean 'UTC'?"));
    EXPECT_THAT(message("Europe/Paris "), HasSubstr("did you mean 'Europe/Paris'?"));
}

TEST(CctzTimeZones, DoesNotSuggestAnotherClockForAnAbbreviation) {
    EXPECT_THAT(message("PST"), Not(HasSubstr("did you mean")));
    EXPECT_THAT(message("PST"), HasSubstr("zones are named as 'Europe/Paris'"));
}

TEST(CctzTimeZones, DoesNotRepeatWhatIsLongOrNotPlain) {
    EXPECT_THAT(message(std::string(1'000'000, 'x')), Not(HasSubstr("xx")));
    EXPECT_THAT(message("Mars\n"), Not(HasSubstr("\n")));
    EXPECT_THAT(message("Mars\xff"), Not(HasSubstr("\xff")));
}

TEST(CctzTimeZones, GivesTheSameZoneAgain) {
    EXPECT_EQ(zone("Europe/Paris"), zone("Europe/Paris"));
}

TEST(CctzTimeZones, IsThreadSafe) {
    const CctzTimeZones zones(zoneinfo_directory());
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&zones] {
            for (const std::string& name : zones.names().first(100))
                EXPECT_EQ((*zones.find(name))->name(), name);
        });
    }
}

// Facts that no later release of the database changes.
TEST(CctzTimeZones, KnowsOddClocks) {
    EXPECT_EQ(due("1883-11-18T12:00:00", "America/New_York"), "1883-11-18T16:56:02Z");  // mean time
    EXPECT_EQ(due("2011-12-30T13:17:00", "Pacific/Apia"), "2011-12-30T23:17:00Z");  // no such day
    EXPECT_EQ(due("1993-08-21T09:00:00", "Pacific/Kwajalein"), "1993-08-21T21:00:00Z");
    EXPECT_EQ(due("2020-12-24T18:17:00", "Europe/Dublin"), "2020-12-24T18:17:00Z");
    EXPECT_EQ(due("2020-05-04T10:11:00", "Asia/Kathmandu"), "2020-05-04T04:26:00Z");
    EXPECT_EQ(due("2020-01-04T10:11:12", "Pacific/Chatham"), "2020-01-03T20:26:12Z");
}

TEST(CctzTimeZones, WorksAtTheEndsOfTheRange) {
    EXPECT_EQ(due("0001-01-01T00:00:00", "UTC"), "0001-01-01T00:00:00Z");
    EXPECT_EQ(due("9999-12-31T23:59:59", "UTC"), "9999-12-31T23:59:59Z");
    EXPECT_EQ(due("0001-01-01T00:00:00", "Asia/Tokyo"), "out_of_range");
    EXPECT_EQ(due("9999-12-31T23:59:59", "America/New_York"), "out_of_range");
    EXPECT_EQ(due("9999-12-31T18:59:59", "America/New_York"), "9999-12-31T23:59:59Z");
    EXPECT_EQ(format_local_millis(latest_instant, *zone("UTC")), "9999-12-31T23:59:59.000+00:00");
}

}  // namespace
}  // namespace sundial::zones
