#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <ctime>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/zones/cctz_time_zones.hpp"
#include "adapters/zones/zoneinfo.hpp"
#include "domain/time/effort.hpp"
#include "domain/time/recurrence_set.hpp"
#include "domain/time/text.hpp"

/// Rules made to keep a scheduler busy, in a zone with endless clock changes. Each must get a
/// result within the 50 ms of issue 3. The test measures the time of this thread, so that a busy
/// machine does not matter; the bound leaves room for sanitizer builds.
namespace sundial::zones {
namespace {

using std::chrono::milliseconds;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SUNDIAL_SANITIZED
#endif
#endif
#if defined(SUNDIAL_SANITIZED)
constexpr milliseconds max{2000};
#else
constexpr milliseconds max{200};  // unoptimised; optimised, each takes less than 40 ms
#endif

std::chrono::nanoseconds time_of_this_thread() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

/// Fails the test at its end if the bound is exceeded.
class Watch {
public:
    explicit Watch(std::string what) : what_(std::move(what)) {}
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { EXPECT_LT(time_of_this_thread() - began_, max) << what_; }

private:
    std::string what_;
    std::chrono::nanoseconds began_ = time_of_this_thread();
};

std::string numbers(int first, int last, int step = 1) {
    std::string text;
    for (int number = first; number <= last; number += step)
        text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
}
const std::string each_second =
    ";BYHOUR=" + numbers(0, 23) + ";BYMINUTE=" + numbers(0, 59) + ";BYSECOND=" + numbers(0, 59);
const std::string each_position = ";BYSETPOS=" + numbers(-366, -1) + "," + numbers(1, 366);
const std::string each_weekday = ";BYDAY=MO,TU,WE,TH,FR,SA,SU";

struct Hostile {
    std::string name, rule;
    std::string first;  // or the error code
};
void PrintTo(const Hostile& hostile, std::ostream* out) { *out << hostile.name; }

class HostileRrule : public testing::TestWithParam<Hostile> {
protected:
    static const TimeZones& zones() {
        static const CctzTimeZones loaded(zoneinfo_directory());
        return loaded;
    }
    static TimeResult<std::unique_ptr<Recurrence>> read(const std::string& rule) {
        const auto set =
            read_icalendar("DTSTART;TZID=America/New_York:20260601T090000\nRRULE:FREQ=" + rule);
        if (!set) return set.error();
        return rrule_recurrence(*set, [](std::string_view name) { return zones().find(name); });
    }
};

TEST_P(HostileRrule, IsAnsweredInTime) {
    ASSERT_TRUE(zones().find("America/New_York"));  // done once per process
    std::unique_ptr<Recurrence> rule;
    {
        const Watch watch("the first occurrence");
        auto made = read(GetParam().rule);
        if (!made) {
            EXPECT_EQ(to_string(made.error().code), GetParam().first);
            return;
        }
        rule = *std::move(made);
        EXPECT_EQ(format_instant(next_after(*rule, Instant::min())->instant), GetParam().first);
    }
    const Instant far = std::chrono::sys_days{std::chrono::year{9990} / 1 / 1};
    {
        const Watch watch("after in the far future");
        const auto next = next_after(*rule, far);
        EXPECT_TRUE(!next || next->instant > far);
    }
    {
        const Watch watch("counting everything");
        EXPECT_GE(rule->count(Instant::min(), never), 1U);
    }
    {
        const Watch watch("a long list");
        EXPECT_LE(list_after(*rule, far - std::chrono::days{3'000'000}, 2'000).size(), 2'000U);
    }
}

TEST_P(HostileRrule, IsReadWithinTheEffortOfARequest) {
    EXPECT_TRUE(within_effort(max_steps_of_request, [] { (void)read(GetParam().rule); }));
}

INSTANTIATE_TEST_SUITE_P(
    Rules, HostileRrule,
    testing::Values(
        Hostile{"second_of_no_day", "SECONDLY;BYMONTH=2;BYMONTHDAY=30", "never_fires"},
        Hostile{"even_and_odd", "SECONDLY;INTERVAL=2;BYSECOND=" + numbers(1, 59, 2), "never_fires"},
        Hostile{"phases_that_never_meet", "SECONDLY;INTERVAL=7200;BYMINUTE=7", "never_fires"},
        Hostile{"once_in_a_century", "SECONDLY;INTERVAL=86399;BYHOUR=3;BYMINUTE=3;BYSECOND=3",
                "2321-08-10T07:03:03Z"},
        Hostile{"once_in_a_millennium", "SECONDLY;INTERVAL=172801;BYHOUR=3;BYMINUTE=2;BYSECOND=1",
                "3347-11-08T08:02:01Z"},
        Hostile{"leap_mondays_by_the_second",
                "SECONDLY;INTERVAL=86401;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYHOUR=3;BYMINUTE=3;"
                "BYSECOND=3",
                "never_fires"},
        Hostile{"minutes_of_a_leap_year",
                "MINUTELY;INTERVAL=1439;BYHOUR=1;BYMINUTE=1;BYYEARDAY=366", "never_fires"},
        Hostile{"daily_by_the_minute", "MINUTELY;INTERVAL=1440;BYHOUR=11", "never_fires"},
        Hostile{"daily_by_the_hour", "HOURLY;INTERVAL=24;BYHOUR=11", "never_fires"},
        Hostile{"only_in_winter", "HOURLY;INTERVAL=2;BYHOUR=12", "2026-11-01T17:00:00Z"},
        Hostile{"a_milliard_seconds", "SECONDLY;COUNT=1000000000", "2026-06-01T13:00:00Z"},
        Hostile{"more_seconds_than_a_millennium", "SECONDLY;COUNT=100000000000",
                "2026-06-01T13:00:00Z"},
        Hostile{"a_million_years", "YEARLY;INTERVAL=1000000", "2026-06-01T13:00:00Z"},
        Hostile{"more_than_numbers_hold", "SECONDLY;INTERVAL=99999999999999999999999",
                "2026-06-01T13:00:00Z"},
        Hostile{"months_that_count_for_ever", "MONTHLY;INTERVAL=99999999999999999999999",
                "2026-06-01T13:00:00Z"},
        Hostile{"each_second_of_each_day", "DAILY" + each_second, "2026-06-01T13:00:00Z"},
        Hostile{"each_second_of_each_day_counted", "DAILY" + each_second + ";COUNT=100000000000",
                "2026-06-01T13:00:00Z"},
        Hostile{"each_position_of_a_day",
                "DAILY" + each_second + each_position + ";COUNT=10000000000",
                "2026-06-02T03:53:54Z"},
        Hostile{"each_position_of_a_week",
                "WEEKLY" + each_weekday + each_second + each_position + ";COUNT=10000000000",
                "2026-06-08T03:53:54Z"},
        Hostile{"each_position_of_a_month",
                "MONTHLY" + each_weekday + each_second + each_position + ";COUNT=10000000000",
                "2026-07-01T03:53:54Z"},
        Hostile{"each_position_of_a_year",
                "YEARLY" + each_weekday + each_second + each_position + ";COUNT=10000000000",
                "2027-01-01T04:53:54Z"},
        Hostile{"each_position_of_an_hour",
                "HOURLY;BYMINUTE=" + numbers(0, 59) + ";BYSECOND=" + numbers(0, 59) + each_position,
                "2026-06-01T13:00:00Z"},
        Hostile{"the_third_of_two", "WEEKLY;BYDAY=MO,TU;BYSETPOS=3", "never_fires"},
        Hostile{"the_other_weekday", "DAILY;INTERVAL=7;BYDAY=TU", "never_fires"},
        Hostile{"the_other_month", "MONTHLY;INTERVAL=12;BYMONTH=2", "never_fires"},
        Hostile{"never_a_leap_year", "YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29", "never_fires"},
        Hostile{"a_week_that_no_year_has", "YEARLY;BYWEEKNO=53;BYDAY=SU;BYMONTH=12;BYMONTHDAY=31",
                "never_fires"}),
    [](const auto& info) { return info.param.name; });

/// A preview of it took 0.2 s, and 64 clients that asked for it stopped the server (issue 19).
TEST_F(HostileRrule, CountedThroughNineThousandYears) {
    ASSERT_TRUE(zones().find("America/New_York"));
    const auto preview = [](int year) {
        const auto set = read_icalendar(
            "DTSTART;TZID=America/New_York:17000101T000000\nRRULE:FREQ=SECONDLY;INTERVAL=7;"
            "COUNT=2000000000;BYSECOND=1,3,5");
        const auto rule =
            rrule_recurrence(*set, [](std::string_view name) { return zones().find(name); });
        const Instant from = std::chrono::sys_days{std::chrono::year{year} / 1 / 1};
        const auto zone = *zones().find("America/New_York");
        ListedOccurrences listed(**rule, *zone, from);
        for (int i = 0; i < 500 && listed.next(); ++i) {
        }
    };
    const Watch watch("a preview");
    EXPECT_FALSE(within_effort(1'000'000, [&] { preview(9000); }));
    EXPECT_TRUE(within_effort(max_steps_of_request, [&] { preview(2026); }));
}

std::string ten_thousand_days() {
    std::string text;
    for (int i = 0; i < 10'000; ++i) {
        std::string date = format_date(std::chrono::sys_days{std::chrono::year{2026} / 6 / 1} +
                                       std::chrono::days{i});
        std::erase(date, '-');
        text += (i == 0 ? "" : ",") + date + "T090000";
    }
    return text;
}

TEST_F(HostileRrule, AnExdateForEachOfTenThousandDays) {
    ASSERT_TRUE(zones().find("America/New_York"));
    const std::string days = ten_thousand_days();
    const Watch watch("a long list of EXDATE");
    const auto rule = read("DAILY\nEXDATE:" + days + "\nRDATE:" + days);
    ASSERT_TRUE(rule);
    EXPECT_EQ(format_instant(next_after(**rule, Instant::min())->instant), "2053-10-17T13:00:00Z");
    const auto none = read("DAILY;COUNT=10000\nEXDATE:" + days);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, TimeErrorCode::never_fires);
}

/// A mebibyte each, the longest line that the batch command must accept.
TEST_F(HostileRrule, TextsOfAMebibyte) {
    constexpr std::size_t size = 1 << 20;
    const std::string start = "DTSTART:20260601T090000Z\n";
    const auto repeated = [](std::string_view part) {
        std::string text;
        while (text.size() < size) text += part;
        return text;
    };
    for (const std::string& text :
         {std::string(size, 'x'), std::string(size, '\n'), std::string(size, ';'), repeated("\n "),
          repeated("RRULE:"), start + repeated("X;TZID="), start + "RRULE:" + repeated(";;"),
          start + "RRULE:" + repeated("FREQ=DAILY;"),
          start + "RRULE:FREQ=DAILY;BYHOUR=" + repeated("1,"),
          start + "RRULE:FREQ=DAILY;BYDAY=" + repeated("MO,") + "MO",
          start + "RDATE:" + repeated("20260601T090000,") + "20260601T090000",
          start + "EXDATE;TZID=\"" + repeated("A"),
          start + repeated("RDATE;TZID=Nowhere:20260601T090000\n"),
          start + repeated("RDATE:20260601T090000Z\n"), start + "RRULE:FR\n" + repeated(" E\n")}) {
        const Watch watch(text.substr(0, 60));
        const auto set = read_icalendar(text);
        if (!set) {
            EXPECT_LT(set.error().message.size(), 400U);
            continue;
        }
        const auto made =
            rrule_recurrence(*set, [](std::string_view name) { return zones().find(name); });
        EXPECT_TRUE(made || made.error().code == TimeErrorCode::unknown_zone);
    }
}

}  // namespace
}  // namespace sundial::zones
