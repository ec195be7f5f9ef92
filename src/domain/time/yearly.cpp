#include "domain/time/yearly.hpp"

#include <algorithm>

#include "domain/time/resolve.hpp"

namespace sundial {
namespace {

using std::chrono::February;
using std::chrono::March;
using std::chrono::year;

constexpr int first_year = 1;
constexpr int last_year = 9999;

WallTime at(Date date, TimeOfDay time) { return std::chrono::local_days{date} + time; }

Passes passes_on(const YearlyRule& rule, const Zone& zone, Date nominal) {
    return resolve_recurring(at(nominal, rule.at), zone, rule.gap, rule.overlap);
}

}  // namespace

std::optional<Date> nominal_date(const YearlyRule& rule, year in) {
    const Date date = in / rule.day;
    if (date.ok()) return date;
    switch (rule.leap) {
        case LeapPolicy::feb28:
            return in / February / 28;
        case LeapPolicy::mar1:
            return in / March / 1;
        case LeapPolicy::skip:
            break;
    }
    return std::nullopt;
}

std::optional<YearlyOccurrence> next_yearly(const YearlyRule& rule, const Zone& zone,
                                            Instant after) {
    const Instant from = std::clamp(after, earliest_instant, latest_instant);
    const Date today{std::chrono::floor<std::chrono::days>(wall_time_at(zone, from))};
    // One year back: a gap may move the last day of a year into the next one.
    int in = std::max(static_cast<int>(today.year()) - 1, first_year);
    if (rule.from) in = std::max(in, static_cast<int>(*rule.from));
    for (; in <= last_year; ++in) {
        const auto nominal = nominal_date(rule, year{in});
        if (!nominal) continue;
        const Passes passes = passes_on(rule, zone, *nominal);
        const WallTime wall = at(*nominal, rule.at);
        if (passes.first && *passes.first > after)
            return YearlyOccurrence{*nominal, wall, *passes.first};
        if (passes.second && *passes.second > after)
            return YearlyOccurrence{*nominal, wall, *passes.second, true};
    }
    return std::nullopt;
}

std::optional<YearlyOccurrence> yearly_on(const YearlyRule& rule, const Zone& zone, Date nominal) {
    const Passes passes = passes_on(rule, zone, nominal);
    if (!passes.first) return std::nullopt;
    return YearlyOccurrence{nominal, at(nominal, rule.at), *passes.first};
}

}  // namespace sundial
