#include "application/calendars/vtimezone.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "domain/time/rrule.hpp"

namespace sundial {
namespace {

using std::chrono::local_seconds;
using std::chrono::seconds;

/// A change, on the clock before it.
struct Onset {
    local_seconds wall;

    [[nodiscard]] std::chrono::local_days day() const {
        return std::chrono::floor<std::chrono::days>(wall);
    }
    [[nodiscard]] std::chrono::year_month_day date() const {
        return std::chrono::year_month_day{day()};
    }
    [[nodiscard]] seconds time() const { return wall - day(); }
    [[nodiscard]] unsigned day_of_month() const { return static_cast<unsigned>(date().day()); }
};

/// Changes from one offset to another, in order.
using Offsets = std::pair<seconds, seconds>;
using Onsets = std::map<Offsets, std::vector<Onset>>;

Onset onset_of(const ZoneChange& change) {
    return {local_seconds{change.at.time_since_epoch() + change.before}};
}

/// `+0545`, `-045602`
std::string ical_offset(seconds offset) {
    const std::chrono::hh_mm_ss size{std::chrono::abs(offset)};
    const auto two = [](auto count) {
        std::string digits = std::to_string(count);
        return digits.size() == 1 ? '0' + digits : digits;
    };
    std::string text = offset < seconds{0} ? "-" : "+";
    text += two(size.hours().count()) + two(size.minutes().count());
    if (size.seconds() != seconds{0}) text += two(size.seconds().count());
    return text;
}

/// From the last change at or before `from` to the end of the period of fingerprints.
Onsets onsets_of(const Zone& zone, Instant from) {
    Onsets onsets;
    const auto add = [&](const ZoneChange& change) {
        onsets[{change.before, change.after}].push_back(onset_of(change));
    };
    if (const auto first = zone.last_change(from)) add(*first);
    const Instant until = from + fingerprint_reach;
    for (auto change = zone.next_change(from); change && change->at < until;
         change = zone.next_change(change->at)) {
        add(*change);
    }
    return onsets;
}

bool is_one_rule(const Onset& a, const Onset& b) {
    return a.date().month() == b.date().month() && a.time() == b.time() &&
           std::chrono::weekday{a.day()} == std::chrono::weekday{b.day()};
}

/// The number of onsets at the end of the list that come once a year, on the same weekday of the
/// same week of a month.
std::size_t size_of_rule(std::span<const Onset> onsets) {
    constexpr unsigned days_of_week = 7;
    std::size_t size = 0;
    unsigned first = 0, last = 0;
    for (std::size_t i = onsets.size(); i-- > 0; ++size) {
        const Onset& onset = onsets[i];
        const unsigned day = onset.day_of_month();
        if (size == 0) {
            first = last = day;
            continue;
        }
        const Onset& after = onsets[i + 1];
        const bool next_year = after.date().year() - onset.date().year() == std::chrono::years{1};
        const unsigned low = std::min(first, day), high = std::max(last, day);
        if (!next_year || !is_one_rule(onset, after) || high - low >= days_of_week) break;
        first = low;
        last = high;
    }
    return size;
}

/// `FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3`
std::string rule_of(std::span<const Onset> onsets) {
    using namespace std::chrono;
    const auto days = [](const Onset& onset) { return onset.day_of_month(); };
    const unsigned first = std::ranges::min(onsets, {}, days).day_of_month();
    const month its_month = onsets.front().date().month();
    const weekday day{onsets.front().day()};
    const auto is_last = [](const Onset& onset) {
        return (onset.day() + weeks{1} >=
                local_days{onset.date().year() / onset.date().month() / last} +
                    std::chrono::days{1});
    };
    RruleRule rule;
    rule.by_month = {static_cast<int>(static_cast<unsigned>(its_month))};
    if (std::ranges::all_of(onsets, is_last)) {
        rule.by_day = {{.nth = -1, .day = day}};
    } else if (first % 7 == 1) {
        rule.by_day = {{.nth = static_cast<int>(first / 7 + 1), .day = day}};
    } else {
        rule.by_day = {{.nth = 0, .day = day}};
        for (unsigned i = 0; i < 7; ++i) rule.by_month_day.push_back(static_cast<int>(first + i));
    }
    return format_rrule(rule);
}

void write_observance(IcalText& text, const Offsets& offsets, std::span<const Onset> onsets,
                      const std::string& rule) {
    const auto [before, after] = offsets;
    const char* const name = after > before ? "DAYLIGHT" : "STANDARD";
    text.line(std::string("BEGIN:") + name);
    text.line("DTSTART:" + format_compact_time(onsets.front().wall));
    text.line("TZOFFSETFROM:" + ical_offset(before));
    text.line("TZOFFSETTO:" + ical_offset(after));
    if (!rule.empty()) text.line("RRULE:" + rule);
    if (rule.empty()) {
        for (const Onset& onset : onsets.subspan(1))
            text.line("RDATE:" + format_compact_time(onset.wall));
    }
    text.line(std::string("END:") + name);
}

void write_onsets(IcalText& text, const Offsets& offsets, const std::vector<Onset>& onsets) {
    constexpr std::size_t shortest_rule = 28;  // years, which contain every kind of year
    const std::size_t regular = size_of_rule(onsets);
    const std::span<const Onset> all{onsets};
    if (regular < shortest_rule) return write_observance(text, offsets, all, "");
    const std::size_t irregular = all.size() - regular;
    if (irregular > 0) write_observance(text, offsets, all.first(irregular), "");
    write_observance(text, offsets, all.last(regular), rule_of(all.last(regular)));
}

}  // namespace

void write_timezone(IcalText& text, const Zone& zone, Instant from) {
    text.line("BEGIN:VTIMEZONE").line("TZID:" + std::string(zone.name()));
    const Onsets onsets = onsets_of(zone, from);
    if (!zone.last_change(from)) {
        const seconds offset = zone.offset_at(from);
        const Onset beginning{local_seconds{
            std::chrono::local_days{std::chrono::year{1970} / std::chrono::January / 1}}};
        const local_seconds first{std::chrono::floor<seconds>(from).time_since_epoch() + offset};
        const Onset start{std::min(beginning.wall, first)};
        write_observance(text, {offset, offset}, {&start, 1}, "");
    }
    for (const auto& [offsets, changes] : onsets) write_onsets(text, offsets, changes);
    text.line("END:VTIMEZONE");
}

}  // namespace sundial
