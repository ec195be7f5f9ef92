#include "domain/time/yearly.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "domain/time/effort.hpp"
#include "domain/time/resolve.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using std::chrono::February;
using std::chrono::March;
using std::chrono::year;

constexpr int first_year = 1;
constexpr int last_year = 9999;

WallTime at(Date date, TimeOfDay time) { return std::chrono::local_days{date} + time; }

int local_year(const Zone& zone, Instant instant) {
    const Instant known = std::clamp(instant, earliest_instant, latest_instant);
    const Date date{std::chrono::floor<std::chrono::days>(wall_time_at(zone, known))};
    return static_cast<int>(date.year());
}

int first_year_of(const YearlyRule& rule) {
    return rule.from ? std::max(static_cast<int>(*rule.from), first_year) : first_year;
}

/// A 29 February that does not take place: it would have begun at the start of 1 March.
NominalOccurrences leap_skipped(const Zone& zone, year in) {
    const WallTime march = at(in / March / 1, TimeOfDay{0});
    auto found = occurrences_at(march, zone, GapPolicy::boundary, OverlapPolicy::earlier);
    if (found.first) found.first->note = OccurrenceNote::leap_skipped;
    return found;
}

/// The occurrences of year `in`, skipped ones included.
NominalOccurrences occurrences_in(const YearlyRule& rule, const Zone& zone, year in) {
    constexpr std::int64_t steps_of_lookup = 50;  // of a wall time in the zone
    effort::spend(steps_of_lookup);
    const auto nominal = nominal_date(rule, in);
    if (!nominal) return leap_skipped(zone, in);
    auto found = occurrences_at(at(*nominal, rule.at), zone, rule.gap, rule.overlap);
    const bool moved = std::chrono::month_day{nominal->month(), nominal->day()} != rule.day;
    if (moved && found.first && found.first->note == OccurrenceNote::none)
        found.first->note = OccurrenceNote::leap_moved;
    return found;
}

/// Iterates forward over the years; borrows the rule and the zone.
class YearlyCursor final : public OccurrenceCursor {
public:
    YearlyCursor(const YearlyRule& rule, const Zone& zone, Instant after, Skipped skipped)
        : rule_(rule),
          zone_(zone),
          after_(after),
          skipped_(skipped),
          // One year back: a gap may move the last day of a year into the next one.
          year_(std::max(local_year(zone, after) - 1, first_year_of(rule))) {}

    std::optional<RuleOccurrence> next() override {
        for (; year_ <= last_year; ++year_) {
            const auto [first, second] = occurrences_in(rule_, zone_, year{year_});
            for (const auto& found : {first, second}) {
                if (!found || found->instant <= after_) continue;
                if (skipped_ == Skipped::left_out && is_skip(found->note)) continue;
                after_ = found->instant;
                return found;
            }
        }
        return std::nullopt;
    }

private:
    const YearlyRule& rule_;
    const Zone& zone_;
    Instant after_;
    Skipped skipped_;
    int year_;
};

class YearlyRecurrence final : public Recurrence {
public:
    YearlyRecurrence(const YearlyRule& rule, std::shared_ptr<const Zone> zone)
        : rule_(rule), zone_(std::move(zone)) {}

    [[nodiscard]] std::unique_ptr<OccurrenceCursor> after(Instant after,
                                                          Skipped skipped) const override {
        return std::make_unique<YearlyCursor>(rule_, *zone_, after, skipped);
    }

    [[nodiscard]] std::uint64_t count(Instant after, Instant until) const override {
        if (until <= after) return 0;
        // A gap or an overlap moves nothing by more than a day. So years other than those of the
        // ends and their neighbours lie wholly between the ends.
        const int from = std::max(local_year(*zone_, after) - 1, first_year_of(rule_));
        const int to = std::min(local_year(*zone_, until) + 1, last_year);
        const int whole_from = std::min(from + 3, to + 1);
        const int whole_to = std::max(to - 3, whole_from - 1);
        std::uint64_t fires = in_whole_years(whole_from, whole_to);
        for (int in = from; in <= to; ++in) {
            if (in == whole_from && whole_from <= whole_to) in = whole_to + 1;
            fires += in_year(in, after, until);
        }
        return fires;
    }

private:
    [[nodiscard]] std::uint64_t in_year(int in, Instant after, Instant until) const {
        const auto [first, second] = occurrences_in(rule_, *zone_, year{in});
        const auto fires = [&](const std::optional<RuleOccurrence>& found) {
            return found && !is_skip(found->note) && found->instant > after &&
                   found->instant <= until;
        };
        return static_cast<std::uint64_t>(fires(first)) + static_cast<std::uint64_t>(fires(second));
    }

    /// Occurrences of the years `from` to `to`. All these years lie between the ends.
    [[nodiscard]] std::uint64_t in_whole_years(int from, int to) const {
        if (rule_.gap == GapPolicy::skip || rule_.overlap == OverlapPolicy::skip ||
            rule_.overlap == OverlapPolicy::both) {
            std::uint64_t fires = 0;  // the zone decides for each year
            for (int in = from; in <= to; ++in) fires += in_year(in, Instant::min(), never);
            return fires;
        }
        const bool leap_years_only = rule_.day == February / 29 && rule_.leap == LeapPolicy::skip;
        const auto years_before = [&](int in) {
            const int past = in - 1;
            return leap_years_only ? past / 4 - past / 100 + past / 400 : past;
        };
        return static_cast<std::uint64_t>(years_before(to + 1) - years_before(from));
    }

    YearlyRule rule_;
    std::shared_ptr<const Zone> zone_;
};

YearlyOccurrence named(const RuleOccurrence& found) {
    const Date nominal{std::chrono::floor<std::chrono::days>(found.nominal)};
    return {nominal, found.nominal, found.instant, found.second_pass};
}

}  // namespace

std::unique_ptr<Recurrence> yearly_recurrence(const YearlyRule& rule,
                                              std::shared_ptr<const Zone> zone) {
    return std::make_unique<YearlyRecurrence>(rule, std::move(zone));
}

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
    const auto next = YearlyCursor(rule, zone, after, Skipped::left_out).next();
    if (!next) return std::nullopt;
    return named(*next);
}

std::optional<YearlyOccurrence> yearly_on(const YearlyRule& rule, const Zone& zone, Date nominal) {
    const auto found = occurrences_at(at(nominal, rule.at), zone, rule.gap, rule.overlap).first;
    if (!found || is_skip(found->note)) return std::nullopt;
    return named(*found);
}

std::string describe(const YearlyRule& rule) {
    constexpr std::array months{"January",   "February", "March",    "April",
                                "May",       "June",     "July",     "August",
                                "September", "October",  "November", "December"};
    constexpr std::array in_common_years{", in common years on 28 February",
                                         ", in common years on 1 March", ", not in common years"};
    std::string words = "every year on " + std::to_string(static_cast<unsigned>(rule.day.day())) +
                        " " + months.at(static_cast<unsigned>(rule.day.month()) - 1) + " at " +
                        format_time_of_day(rule.at);
    if (rule.day == February / 29) words += in_common_years.at(static_cast<std::size_t>(rule.leap));
    return words;
}

}  // namespace sundial
