#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "domain/time/cron.hpp"
#include "domain/time/resolve.hpp"
#include "support/fake_zone.hpp"

/// Compares cron rules with the most literal reading of the specification, which asks for every
/// second of a few days whether the rule fires.
namespace sundial {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using std::chrono::local_days;
using std::chrono::local_seconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

// --- random rules and zones -------------------------------------------------------------------

/// Evenly distributed, whatever size RapidCheck asks for.
template <class T>
T gen_within(T first, T last) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(first, last + 1));
}

bool one_in(int n) { return gen_within(1, n) == 1; }

std::string gen_number(int first, int last) { return std::to_string(gen_within(first, last)); }

std::string gen_item(int first, int last, int size) {
    const int kind = gen_within(0, 5);
    const std::string step = "/" + gen_number(1, size);
    switch (kind) {
        case 0:
            return "*";
        case 1:
            return "*" + step;
        case 2:
            return gen_number(first, last) + step;
        case 3:
            return gen_number(first, last) + "-" + gen_number(first, last) + step;
        case 4:
            return gen_number(first, last) + "-" + gen_number(first, last);
        default:
            return gen_number(first, last);
    }
}

template <class GenItem>
std::string gen_list(GenItem gen_one) {
    std::string list = gen_one();
    for (int more = *rc::gen::inRange(0, 3); more > 0; --more) list += "," + gen_one();
    return list;
}

std::string gen_date() {
    switch (gen_within(0, 7)) {
        case 0:
            return "L";
        case 1:
            return "LW";
        case 2:
            return "L-" + gen_number(1, 30);
        case 3:
            return gen_number(1, 31) + "W";
        default:
            return gen_item(1, 31, 31);
    }
}

std::string gen_weekday() {
    switch (gen_within(0, 5)) {
        case 0:
            return gen_number(0, 7) + "L";
        case 1:
            return gen_number(0, 7) + "#" + gen_number(1, 5);
        default:
            return gen_item(0, 7, 7);
    }
}

/// Mostly a star: the test covers a few days, and something should happen in them.
template <class GenItem>
std::string gen_day_field(GenItem gen_one) {
    return one_in(4) ? gen_list(gen_one) : "*";
}

/// Six fields, with few seconds.
std::string gen_text() {
    std::string text = *rc::gen::element<std::string>("0", "0", "30", "0,59", "*/20", "*");
    text += " " + gen_list([] { return gen_item(0, 59, 60); });
    text += " " + (one_in(3) ? "0-23" : gen_list([] { return gen_item(0, 23, 24); }));
    text += " " + gen_day_field(gen_date);
    text += one_in(4) ? " " + gen_item(1, 12, 12) : " *";
    return text + " " + gen_day_field(gen_weekday);
}

CronRule gen_rule() {
    const std::string text = gen_text();
    const auto rule = parse_cron(text);
    if (!rule) RC_ASSERT(rule.error().code == TimeErrorCode::never_fires);
    RC_PRE(rule.has_value());
    RC_LOG() << text << "\n";
    return *rule;
}

const sys_seconds middle = sys_days{std::chrono::October / 15 / 2026};

/// How far a clock changes: as in real zones, in gaps of just under and exactly three hours, and by
/// anything up to a day.
seconds gen_jump() {
    const seconds length{one_in(4) ? gen_within(1, 86'400)
                                   : *rc::gen::element(20, 30, 60, 60, 120, 179, 180, 1440) * 60};
    return *rc::gen::arbitrary<bool>() ? length : -length;
}

/// Changes its clock within half a day of `middle`, back after three days, and once long before:
/// mostly at a whole half hour, sometimes at any second.
FakeZone gen_zone() {
    const seconds any{gen_within(-12 * 3600, 12 * 3600)};
    const sys_seconds change = middle + (one_in(4) ? any : any / 1800 * 1800);
    const seconds before{*rc::gen::element(-11 * 3600, -5 * 3600, 0, 3600, 13 * 3600, 1172)};
    const seconds after = before + gen_jump();
    return FakeZone("Fake/Zone", 1h,
                    {{change - days{70}, before}, {change, after}, {change + days{3}, before}});
}

// --- the literal reading ------------------------------------------------------------------------

bool has(std::uint64_t bits, unsigned value) { return (bits >> value & 1) != 0; }

bool is_weekday(local_days day) {
    const unsigned of_week = std::chrono::weekday{day}.c_encoding();
    return 1 <= of_week && of_week <= 5;
}

/// The nearest Monday-to-Friday day in the month of `day`; searches at growing distance.
local_days nearest_weekday(local_days day) {
    const auto month = std::chrono::year_month_day{day}.month();
    for (int distance = 0;; ++distance) {
        for (const local_days near : {day - days{distance}, day + days{distance}})
            if (is_weekday(near) && std::chrono::year_month_day{near}.month() == month) return near;
    }
}

bool matches(const CronDaysOfMonth& named, local_days day) {
    const std::chrono::year_month_day date{day};
    const auto month = date.year() / date.month();
    const local_days last{month / std::chrono::last};
    if (has(named.dates, static_cast<unsigned>(date.day()))) return true;
    if (has(named.before_last, static_cast<unsigned>((last - day).count()))) return true;
    if (named.last_weekday && day == nearest_weekday(last)) return true;
    for (unsigned number = 1; number <= 31; ++number) {
        const auto near = month / std::chrono::day{number};
        if (has(named.nearest_weekday, number) && near.ok() &&
            day == nearest_weekday(local_days{near}))
            return true;
    }
    return false;
}

bool matches(const CronDaysOfWeek& named, local_days day) {
    const std::chrono::year_month_day date{day};
    const unsigned of_week = std::chrono::weekday{day}.c_encoding();
    if (has(named.weekdays, of_week)) return true;
    const auto in_a_week = std::chrono::year_month_day{day + days{7}};
    if (has(named.last, of_week) && in_a_week.month() != date.month()) return true;
    return has(named.nth.at((static_cast<unsigned>(date.day()) - 1) / 7), of_week);
}

bool matches(const CronRule& rule, local_seconds wall) {
    const auto day = std::chrono::floor<days>(wall);
    const std::chrono::hh_mm_ss time{wall - day};
    if (!has(rule.seconds, static_cast<unsigned>(time.seconds().count())) ||
        !has(rule.minutes, static_cast<unsigned>(time.minutes().count())) ||
        !has(rule.hours, static_cast<unsigned>(time.hours().count())) ||
        !has(rule.months, static_cast<unsigned>(std::chrono::year_month_day{day}.month())))
        return false;
    const bool date = matches(rule.days_of_month, day);
    const bool weekday = matches(rule.days_of_week, day);
    return rule.either_day ? date || weekday : date && weekday;
}

/// Each instant with the first of its nominal times.
using Occurrences = std::map<Instant, WallTime>;

Occurrences of_wildcard_job(const CronRule& rule, const Zone& zone, sys_seconds from,
                            sys_seconds until) {
    Occurrences found;
    for (sys_seconds instant = from; instant < until; instant += 1s) {
        const auto wall = std::chrono::floor<seconds>(wall_time_at(zone, instant));
        if (matches(rule, wall)) found.emplace(instant, wall);
    }
    return found;
}

Occurrences of_fixed_time_job(const CronRule& rule, const Zone& zone, GapPolicy gap,
                              OverlapPolicy overlap, sys_seconds from, sys_seconds until) {
    Occurrences found;
    const auto wall_clock = [](sys_seconds instant) {
        return local_seconds{instant.time_since_epoch()};
    };
    constexpr days margin{2};  // more than the clocks of `gen_zone` differ from UTC
    for (auto wall = wall_clock(from - margin); wall < wall_clock(until + margin); wall += 1s) {
        if (!matches(rule, wall)) continue;
        const LocalLookup lookup = zone.lookup(wall);
        if (lookup.kind == LocalLookup::Kind::gap && lookup.later - lookup.earlier >= 3h) continue;
        const Passes passes = resolve_recurring(wall, zone, gap, overlap);
        for (const auto& pass : {passes.first, passes.second})
            if (pass && from <= *pass && *pass < until) found.emplace(*pass, wall);
    }
    return found;
}

struct Case {
    CronRule rule;
    FakeZone zone;
    GapPolicy gap;
    OverlapPolicy overlap;

    [[nodiscard]] std::unique_ptr<Recurrence> recurrence() const {
        return cron_recurrence(rule, std::make_shared<FakeZone>(zone), gap, overlap);
    }
};

Case gen_case() {
    return {gen_rule(), gen_zone(),
            *rc::gen::element(GapPolicy::compatible, GapPolicy::earlier, GapPolicy::later,
                              GapPolicy::boundary, GapPolicy::skip),
            *rc::gen::element(OverlapPolicy::compatible, OverlapPolicy::earlier,
                              OverlapPolicy::later, OverlapPolicy::both, OverlapPolicy::skip)};
}

/// A moment within two days of `middle`.
Instant gen_moment() {
    constexpr std::int64_t two_days = 172'800'000'000;
    return middle + std::chrono::microseconds{gen_within(-two_days, two_days)};
}

std::vector<RuleOccurrence> walked(const Recurrence& rule, Instant after, Instant until,
                                   Skipped skipped = Skipped::left_out) {
    std::vector<RuleOccurrence> found;
    const auto cursor = rule.after(after, skipped);
    for (auto next = cursor->next(); next && next->instant <= until; next = cursor->next())
        found.push_back(*next);
    return found;
}

// --- properties -------------------------------------------------------------------------------

RC_GTEST_PROP(CronProperty, AgreesWithThePlainReading, ()) {
    const Case c = gen_case();
    const sys_seconds from = middle - 36h, until = middle + 36h;
    const Occurrences expected =
        c.rule.wildcard ? of_wildcard_job(c.rule, c.zone, from, until)
                        : of_fixed_time_job(c.rule, c.zone, c.gap, c.overlap, from, until);
    Occurrences ours;
    const auto found = walked(*c.recurrence(), from - 1s, until - 1s);
    for (const RuleOccurrence& occurrence : found)
        ours.emplace(occurrence.instant, occurrence.nominal);
    RC_ASSERT(ours == expected);
    RC_ASSERT(found.size() == expected.size());
    RC_ASSERT(c.recurrence()->count(from - 1s, until - 1s) == expected.size());
}

RC_GTEST_PROP(CronProperty, AscendsWithoutDuplicates, ()) {
    const Case c = gen_case();
    Instant before = gen_moment();
    for (const RuleOccurrence& occurrence : list_after(*c.recurrence(), before, 2000)) {
        RC_ASSERT(occurrence.instant > before);
        before = occurrence.instant;
    }
}

RC_GTEST_PROP(CronProperty, PagesAreOneLongList, ()) {
    const Case c = gen_case();
    const auto rule = c.recurrence();
    const Instant start = gen_moment();
    const auto whole = list_after(*rule, start, 300);
    Instant after = start;
    for (const RuleOccurrence& occurrence : whole) {
        RC_ASSERT(next_after(*rule, after) == occurrence);
        after = occurrence.instant;
    }
}

RC_GTEST_PROP(CronProperty, CountsListedOccurrences, ()) {
    const Case c = gen_case();
    const auto rule = c.recurrence();
    const auto [after, until] = std::minmax({gen_moment(), gen_moment()});
    RC_ASSERT(rule->count(after, until) == walked(*rule, after, until).size());
}

RC_GTEST_PROP(CronProperty, CountsOfPartsAddUp, ()) {
    const Case c = gen_case();
    const auto rule = c.recurrence();
    const Instant between = gen_moment();
    RC_ASSERT(rule->count(Instant::min(), between) + rule->count(between, Instant::max()) ==
              rule->count(Instant::min(), Instant::max()));
}

RC_GTEST_PROP(CronProperty, SkippedOccurrencesAreListedWithFiringOnes, ()) {
    const Case c = gen_case();
    const auto rule = c.recurrence();
    const Instant after = gen_moment();
    auto with_skipped = walked(*rule, after, middle + days{4}, Skipped::listed);
    RC_ASSERT(std::ranges::is_sorted(with_skipped, {}, &RuleOccurrence::instant));
    std::erase_if(with_skipped, [](const RuleOccurrence& o) { return is_skip(o.note); });
    RC_ASSERT(with_skipped == walked(*rule, after, middle + days{4}));
}

}  // namespace
}  // namespace sundial
