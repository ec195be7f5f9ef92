#include "adapters/zones/cctz_time_zones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "adapters/zones/zoneinfo.hpp"
#include "domain/time/resolve.hpp"
#include "domain/time/text.hpp"
#include "support/instants.hpp"

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

TEST(CctzTimeZones, NamesTheRelease) {
    EXPECT_THAT(installed().current()->release(), MatchesRegex("20[0-9][0-9][a-z]+"));
}

TEST(CctzTimeZones, ListsItsZonesSorted) {
    const auto data = installed().current();
    const auto names = data->names();
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

TEST(CctzTimeZones, RefusesUnknownNames) {
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

TEST(CctzTimeZones, SuggestsSimilarNames) {
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

TEST(CctzTimeZones, DoesNotQuoteLongOrUnprintableNames) {
    EXPECT_THAT(message(std::string(1'000'000, 'x')), Not(HasSubstr("xx")));
    EXPECT_THAT(message("Mars\n"), Not(HasSubstr("\n")));
    EXPECT_THAT(message("Mars\xff"), Not(HasSubstr("\xff")));
}

TEST(CctzTimeZones, ReturnsTheSameObjectForTheSameZone) {
    EXPECT_EQ(zone("Europe/Paris"), zone("Europe/Paris"));
}

TEST(CctzTimeZones, IsThreadSafe) {
    const CctzTimeZones zones(zoneinfo_directory());
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&zones] {
            const auto data = zones.current();
            for (const std::string& name : data->names().first(100))
                EXPECT_EQ((*zones.find(name))->name(), name);
        });
    }
}

// Facts that no later release changes.
TEST(CctzTimeZones, KnowsOddClocks) {
    // Local mean time.
    EXPECT_EQ(due("1883-11-18T12:00:00", "America/New_York"), "1883-11-18T16:56:02Z");
    // The day does not exist.
    EXPECT_EQ(due("2011-12-30T13:17:00", "Pacific/Apia"), "2011-12-30T23:17:00Z");
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

std::string change(const std::optional<ZoneChange>& found) {
    if (!found) return "never";
    return format_instant(found->at) + " " + format_offset(found->before) + " " +
           format_offset(found->after);
}

TEST(CctzTimeZones, FindsTheNextAndThePreviousChange) {
    const auto paris = zone("Europe/Paris");
    const std::string spring = "2026-03-29T01:00:00Z +01:00 +02:00";
    EXPECT_EQ(change(paris->next_change(at("2026-01-01T00:00:00Z"))), spring);
    EXPECT_EQ(change(paris->next_change(at("2026-03-29T00:59:59.5Z"))), spring);
    EXPECT_EQ(change(paris->next_change(at("2026-03-29T01:00:00Z"))),
              "2026-10-25T01:00:00Z +02:00 +01:00");
    EXPECT_EQ(change(paris->last_change(at("2026-03-29T01:00:00Z"))), spring);
    EXPECT_EQ(change(paris->last_change(at("2026-03-29T00:59:59.999999Z"))),
              "2025-10-26T01:00:00Z +02:00 +01:00");
}

TEST(CctzTimeZones, ChangesGoOnByTheRuleForEver) {
    const auto paris = zone("Europe/Paris");
    for (const int year :
         {2036, 2037, 2038, 2400, 2436, 2437, 2438, 2439, 2837, 2838, 4000, 9998}) {
        const Instant january = std::chrono::sys_days{std::chrono::year{year} / 1 / 1};
        const auto spring = paris->next_change(january);
        ASSERT_TRUE(spring) << year;
        const std::chrono::sys_days last_sunday{std::chrono::year{year} / std::chrono::March /
                                                std::chrono::Sunday[std::chrono::last]};
        EXPECT_EQ(spring->at, last_sunday + 1h) << year;
        EXPECT_EQ(spring->after, 2h) << year;
        const auto autumn = paris->next_change(spring->at);
        ASSERT_TRUE(autumn) << year;
        EXPECT_EQ(autumn->after, 1h) << year;
        EXPECT_EQ(paris->last_change(autumn->at), autumn) << year;
        EXPECT_EQ(paris->last_change(autumn->at - 1us), spring) << year;
    }
}

TEST(CctzTimeZones, AZoneWithoutARuleStopsChanging) {
    EXPECT_EQ(change(zone("UTC")->next_change(Instant::min())), "never");
    EXPECT_EQ(change(zone("UTC")->last_change(Instant::max())), "never");
    EXPECT_EQ(change(zone("Asia/Kolkata")->next_change(at("2026-01-01T00:00:00Z"))), "never");
    EXPECT_EQ(change(zone("Asia/Kolkata")->last_change(at("9999-01-01T00:00:00Z"))),
              "1945-10-14T17:30:00Z +06:30 +05:30");
    EXPECT_EQ(change(zone("Europe/Paris")->last_change(at("0001-01-01T00:00:00Z"))), "never");
}

TEST(CctzTimeZones, EveryChangeIsWhereTheOffsetChanges) {
    const auto data = installed().current();
    for (const std::string& name : data->names()) {
        const auto here = zone(name);
        Instant from = at("1850-01-01T00:00:00Z");
        const Instant end = at("2120-01-01T00:00:00Z");
        for (auto next = here->next_change(from); next && next->at < end;
             next = here->next_change(from)) {
            ASSERT_EQ(here->offset_at(next->at - 1us), next->before) << name;
            ASSERT_EQ(here->offset_at(next->at), next->after) << name;
            ASSERT_NE(next->before, next->after) << name;
            ASSERT_EQ(here->offset_at(from), next->before) << name << ": one was left out";
            ASSERT_EQ(here->last_change(next->at), next) << name;
            from = next->at;
        }
    }
}

}  // namespace
}  // namespace sundial::zones
