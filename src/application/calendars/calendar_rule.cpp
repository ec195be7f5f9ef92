#include "application/calendars/calendar_rule.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "domain/time/cron.hpp"
#include "domain/time/rrule.hpp"
#include "domain/time/zone.hpp"

namespace sundial {
namespace {

using std::chrono::seconds;

constexpr seconds one_day = std::chrono::hours{24};

WallTime to_seconds(WallTime wall) { return std::chrono::floor<seconds>(wall); }

std::chrono::local_seconds whole_seconds(WallTime wall) {
    return std::chrono::floor<seconds>(wall);
}

/// The local times that a clock change skips or repeats.
struct Window {
    std::chrono::local_seconds from;
    seconds length;
};
Window window_of(const ZoneChange& change) {
    const auto wall = [&](seconds offset) {
        return std::chrono::local_seconds{change.at.time_since_epoch() + offset};
    };
    return {wall(std::min(change.before, change.after)),
            std::chrono::abs(change.after - change.before)};
}

/// Whether a time of day lies in the window.
bool lies_in(seconds time, const Window& window) {
    const seconds start = window.from - std::chrono::floor<std::chrono::days>(window.from);
    const seconds after_start = (time - start + one_day) % one_day;
    return window.length >= one_day || after_start < window.length;
}

/// Whether each of these times of day exists exactly once on every day from `from` on. An empty
/// list means every time.
bool exist_once(std::span<const seconds> times, const Zone& zone, Instant from) {
    const Instant until = from + fingerprint_reach;
    auto change = zone.last_change(from);
    if (!change) change = zone.next_change(from);
    for (; change && change->at < until; change = zone.next_change(change->at)) {
        const Window window = window_of(*change);
        if (times.empty() ||
            std::ranges::any_of(times, [&](seconds time) { return lies_in(time, window); })) {
            return false;
        }
    }
    return true;
}

/// A property with a zone, or Z for UTC.
std::string moment_line(std::string_view name, std::chrono::local_seconds wall,
                        std::string_view zone) {
    std::string line{name};
    if (zone == "UTC") return line + ':' + format_compact_time(wall) + 'Z';
    return line + ";TZID=" + std::string(zone) + ':' + format_compact_time(wall);
}

std::optional<CalendarRule> starting(const ScheduleRule& rule, Instant from, std::string rrule) {
    const auto first = rule.first_after(from);
    if (!first) return std::nullopt;
    return CalendarRule{.utc = false,
                        .dtstart = to_seconds(first->nominal),
                        .lines = {"RRULE:" + std::move(rrule)}};
}

std::optional<CalendarRule> yearly_rule(const ScheduleRule& rule, Instant from) {
    using namespace std::chrono;
    const auto yearly = rule_for(rule.schedule(), rule.user());
    const seconds at{yearly->at};
    if (!exist_once({&at, 1}, rule.zone(), from)) return std::nullopt;
    const auto number = [](auto part) { return static_cast<int>(static_cast<unsigned>(part)); };
    RruleRule yearly_on;
    yearly_on.by_month_day = {number(yearly->day.day())};
    yearly_on.by_month = {number(yearly->day.month())};
    if (yearly->day == February / 29 && yearly->leap == LeapPolicy::feb28)
        yearly_on.by_month_day = {-1};
    if (yearly->day == February / 29 && yearly->leap == LeapPolicy::mar1) {
        yearly_on = RruleRule{};
        yearly_on.by_year_day = {60};
    }
    return starting(rule, from, format_rrule(yearly_on));
}

std::vector<int> values_of(std::uint64_t bits) {
    std::vector<int> values;
    for (; bits != 0; bits &= bits - 1) values.push_back(std::countr_zero(bits));
    return values;
}

bool has_all(std::uint64_t bits, std::uint64_t all) { return (bits & all) == all; }

/// The days of a cron rule, as limits of FREQ=DAILY, or of FREQ=MONTHLY if it names dates: libical
/// finds no occurrence of FREQ=DAILY;BYMONTHDAY=-1. False if RFC 5545 cannot express them.
bool say_days(const CronRule& cron, RruleRule& rule) {
    const CronDaysOfMonth& dates = cron.days_of_month;
    const CronDaysOfWeek& weekdays = cron.days_of_week;
    constexpr std::uint64_t all_dates = 0xFFFFFFFE, all_weekdays = 0x7F, all_months = 0x1FFE;
    const bool special_weekdays =
        weekdays.last != 0 ||
        std::ranges::any_of(weekdays.nth, [](auto bits) { return bits != 0; });
    if (cron.either_day || dates.nearest_weekday != 0 || dates.last_weekday || special_weekdays)
        return false;
    if (!has_all(dates.dates, all_dates)) {
        rule.frequency = Frequency::monthly;
        rule.by_month_day = values_of(dates.dates);
        for (const int before : values_of(dates.before_last))
            rule.by_month_day.push_back(-1 - before);
    }
    if (!has_all(weekdays.weekdays, all_weekdays)) {
        for (const int day : values_of(weekdays.weekdays))
            rule.by_day.push_back({.nth = 0, .day = std::chrono::weekday(unsigned(day))});
    }
    if (!has_all(cron.months, all_months)) rule.by_month = values_of(cron.months);
    return true;
}

std::vector<seconds> times_of(const std::vector<int>& hours, const std::vector<int>& minutes,
                              const std::vector<int>& of_minute) {
    std::vector<seconds> times;
    for (const int hour : hours) {
        for (const int minute : minutes) {
            for (const int second : of_minute)
                times.push_back(std::chrono::hours{hour} + std::chrono::minutes{minute} +
                                seconds{second});
        }
    }
    return times;
}

std::optional<CalendarRule> cron_rule(const ScheduleRule& rule, const CronTrigger& trigger,
                                      Instant from) {
    const auto cron = parse_cron(trigger.text);
    if (!cron) return std::nullopt;
    RruleRule rrule;
    rrule.frequency = Frequency::daily;
    rrule.by_second = values_of(cron->seconds);
    rrule.by_minute = values_of(cron->minutes);
    rrule.by_hour = values_of(cron->hours);
    const auto times = times_of(rrule.by_hour, rrule.by_minute, rrule.by_second);
    if (!say_days(*cron, rrule) || !exist_once(times, rule.zone(), from)) return std::nullopt;
    // Taken from DTSTART.
    if (cron->seconds == 1) rrule.by_second.clear();
    return starting(rule, from, format_rrule(rrule));
}

std::optional<CalendarRule> interval_rule(const ScheduleRule& rule, const EveryTrigger& trigger,
                                          Instant from) {
    constexpr seconds hour = std::chrono::hours{1};
    const auto first = rule.first_after(from);
    if (!first || trigger.every % hour != seconds{0}) return std::nullopt;
    const bool daily = trigger.every % one_day == seconds{0};
    RruleRule every;
    every.frequency = daily ? Frequency::daily : Frequency::hourly;
    every.interval = trigger.every / (daily ? one_day : hour);
    const auto& ends_at = rule.schedule().ends_at;
    const auto until =
        ends_at ? std::optional{std::chrono::floor<seconds>(*ends_at)} : std::nullopt;
    return CalendarRule{.utc = true,
                        .dtstart = to_seconds(first->nominal),
                        .lines = {"RRULE:" + format_rrule(every, until)}};
}

/// UNTIL in UTC; empty if the rule has none.
std::optional<std::chrono::sys_seconds> end_of(const RruleRule& rule, const Zone& zone) {
    if (!rule.until) return std::nullopt;
    if (rule.until->kind == RuleEnd::Kind::instant)
        return std::chrono::sys_seconds{rule.until->time.time_since_epoch()};
    return zone.lookup(rule.until->time).later;
}

/// Whether each extra date exists once in its zone.
bool exist_once(const std::vector<SetTime>& dates, const RecurrenceSet& set,
                const FindZone& find_zone) {
    return std::ranges::all_of(dates, [&](const SetTime& date) {
        const auto zone = find_zone(set.zones[date.zone]);
        return zone && (*zone)->lookup(date.wall).kind == LocalLookup::Kind::unique;
    });
}

std::vector<seconds> times_of(const RecurrenceSet& set) {
    const seconds start = set.dtstart - std::chrono::floor<std::chrono::days>(set.dtstart);
    const std::chrono::hh_mm_ss time{start};
    const auto given = [](const std::vector<int>& values, auto otherwise) {
        return values.empty() ? std::vector<int>{static_cast<int>(otherwise.count())} : values;
    };
    const RruleRule rule = set.rule.value_or(RruleRule{});
    if (rule.frequency < Frequency::daily) return {};  // any time
    return times_of(given(rule.by_hour, time.hours()), given(rule.by_minute, time.minutes()),
                    given(rule.by_second, time.seconds()));
}

/// The first occurrence of the rule itself, because readers count DTSTART as an occurrence even if
/// the rule does not yield it.
std::optional<WallTime> start_of(const RecurrenceSet& set, const FindZone& find_zone) {
    if (!set.rule) return set.dtstart;
    RecurrenceSet alone = set;
    alone.rdates.clear();
    alone.exdates.clear();
    const auto recurrence = rrule_recurrence(alone, find_zone);
    if (!recurrence) return std::nullopt;
    const auto first = next_after(**recurrence, Instant::min());
    return first ? std::optional{first->nominal} : std::nullopt;
}

std::optional<CalendarRule> rrule_rule(const ScheduleRule& rule, const RruleTrigger& trigger,
                                       const FindZone& find_zone) {
    const auto set = read_rrule(trigger, rule.zone().name());
    if (!set) return std::nullopt;
    const auto zone = find_zone(set->zones.front());
    const auto dtstart = start_of(*set, find_zone);
    if (!zone || !dtstart) return std::nullopt;
    const Instant from = (*zone)->lookup(whole_seconds(*dtstart)).earlier;
    if (!exist_once(times_of(*set), **zone, from) || !exist_once(set->rdates, *set, find_zone) ||
        !exist_once(set->exdates, *set, find_zone)) {
        return std::nullopt;
    }
    CalendarRule said{.utc = set->zones.front() == "UTC", .dtstart = to_seconds(*dtstart)};
    if (set->rule)
        said.lines.push_back("RRULE:" + format_rrule(*set->rule, end_of(*set->rule, **zone)));
    for (const SetTime& date : set->rdates)
        said.lines.push_back(moment_line("RDATE", date.wall, set->zones[date.zone]));
    for (const SetTime& date : set->exdates)
        said.lines.push_back(moment_line("EXDATE", date.wall, set->zones[date.zone]));
    return said;
}

}  // namespace

std::optional<CalendarRule> calendar_rule(const ScheduleRule& rule, Instant from,
                                          const FindZone& find_zone) {
    const Schedule& schedule = rule.schedule();
    if (const auto* every = std::get_if<EveryTrigger>(&schedule.trigger))
        return interval_rule(rule, *every, from);
    if (schedule.starts_at || schedule.ends_at) return std::nullopt;
    if (const auto* cron = std::get_if<CronTrigger>(&schedule.trigger))
        return cron_rule(rule, *cron, from);
    if (const auto* rrule = std::get_if<RruleTrigger>(&schedule.trigger))
        return rrule_rule(rule, *rrule, find_zone);
    return yearly_rule(rule, from);
}

}  // namespace sundial
