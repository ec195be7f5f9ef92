#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "domain/time/rrule_in_zone.hpp"

namespace sundial {
namespace {

/// The first of `values` that is at least `from`.
template <class T>
auto first_from(const std::vector<T>& values, std::int64_t from) {
    return std::ranges::lower_bound(values, from, {}, [](T value) { return std::int64_t{value}; });
}

std::uint64_t count_between(const std::vector<std::int64_t>& values, std::int64_t from,
                            std::int64_t to) {
    if (from >= to) return 0;
    return static_cast<std::uint64_t>(first_from(values, to) - first_from(values, from));
}

/// The positions that BYSETPOS (sorted) selects in a set of `size`, counted from 0, ascending.
std::vector<std::int64_t> places(const std::vector<int>& positions, std::int64_t size) {
    std::vector<std::int64_t> from_end, from_start, found;
    for (const int position : positions) {
        if (position < 0 && size + position >= 0) from_end.push_back(size + position);
        if (position > 0 && position <= size) from_start.push_back(position - 1);
    }
    std::ranges::set_union(from_end, from_start, std::back_inserter(found));
    return found;
}

/// Seconds since midnight at which the rule's days fire, before BYSETPOS.
std::vector<std::int64_t> times_of_day(const RruleRule& rule, WallSecond dtstart) {
    const auto start = floor_mod(dtstart, seconds_of_day);
    const auto or_start = [](const std::vector<int>& numbers, std::int64_t of_start) {
        return numbers.empty() ? std::vector{static_cast<int>(of_start)} : numbers;
    };
    std::vector<std::int64_t> times;
    for (const int hour : or_start(rule.by_hour, start / 3600)) {
        for (const int minute : or_start(rule.by_minute, start / 60 % 60)) {
            for (const int second : or_start(rule.by_second, start % 60))
                times.push_back(hour * 3600 + minute * 60 + std::min(second, 59));
        }
    }
    times.erase(std::ranges::unique(times).begin(), times.end());  // second 60 is read as 59
    return times;
}

/// The common part of both kinds below: the range, and the days that count.
class NominalTimes : public WallTimes {
public:
    NominalTimes(const RruleRule& rule, WallSecond dtstart)
        : first_(dtstart), days_(rule, day_of(dtstart)), periods_(rule, day_of(dtstart)) {
        if (rule.until && rule.until->kind != RuleEnd::Kind::instant)
            end_ = rule.until->time.time_since_epoch().count() + 1;
    }

protected:
    /// Narrows [from, to) to the range of the rule; false if nothing is left.
    [[nodiscard]] bool narrow(WallSecond& from, WallSecond& to) const {
        from = std::max(from, first_);
        to = std::min(to, end_);
        return from < to;
    }
    /// The next day of the walk in one of the rule's intervals.
    [[nodiscard]] std::optional<DayNumber> next_day(RuleDays::Walk& walk) const {
        while (const auto day = walk.next()) {
            const auto in_interval = periods_.at_or_after(*day);
            if (!in_interval) return std::nullopt;
            if (*in_interval == *day) return day;
            walk.go_to(*in_interval);
        }
        return std::nullopt;
    }
    [[nodiscard]] bool counts(DayNumber day) const {
        return days_.contains(day) && periods_.at_or_after(day) == day;
    }
    [[nodiscard]] const RuleDays& days() const { return days_; }
    [[nodiscard]] const RulePeriods& periods() const { return periods_; }

private:
    WallSecond first_;
    WallSecond end_ = std::numeric_limits<WallSecond>::max();
    RuleDays days_;
    RulePeriods periods_;
};

/// Every day that counts has the same times: without BYSETPOS, or with it if the interval is a day.
class SameTimesEachDay final : public NominalTimes {
public:
    SameTimesEachDay(const RruleRule& rule, WallSecond dtstart)
        : NominalTimes(rule, dtstart),
          times_(at_positions(times_of_day(rule, dtstart), rule.by_position)) {}

    [[nodiscard]] std::optional<WallSecond> next(WallSecond from, WallSecond to) const override {
        if (times_.empty() || !narrow(from, to)) return std::nullopt;
        RuleDays::Walk walk(days(), day_of(from));
        while (const auto day = next_day(walk)) {
            const WallSecond midnight = *day * seconds_of_day;
            if (midnight >= to) break;
            const auto time = first_from(times_, from - midnight);
            if (time == times_.end()) continue;  // the day of `from` has no more
            if (midnight + *time >= to) break;
            return midnight + *time;
        }
        return std::nullopt;
    }

    [[nodiscard]] std::uint64_t count(WallSecond from, WallSecond to) const override {
        if (times_.empty() || !narrow(from, to)) return 0;
        std::uint64_t counted = 0;
        RuleDays::Walk walk(days(), day_of(from));
        while (const auto day = next_day(walk)) {
            const WallSecond midnight = *day * seconds_of_day;
            if (midnight >= to) break;
            const bool whole = from <= midnight && midnight + seconds_of_day <= to;
            counted +=
                whole ? times_.size() : count_between(times_, from - midnight, to - midnight);
        }
        return counted;
    }

    [[nodiscard]] std::uint64_t count_common(WallSecond one, WallSecond other,
                                             std::int64_t length) const override {
        if (bits_.empty()) return NominalTimes::count_common(one, other, length);
        const auto behind = std::max(one, other) + length;
        WallSecond from = std::min(one, other), to = behind;
        if (!narrow(from, to)) return 0;
        const auto begin = std::max<std::int64_t>(from - std::min(one, other), 0);
        const auto end = length - (behind - to);
        std::uint64_t counted = 0;
        for (auto at = begin; at < end;) {  // from midnight to midnight of either
            const WallSecond in_one = floor_mod(one + at, seconds_of_day);
            const WallSecond in_other = floor_mod(other + at, seconds_of_day);
            const auto size = std::min(end - at, seconds_of_day - std::max(in_one, in_other));
            if (counts(day_of(one + at)) && counts(day_of(other + at)))
                counted += common_bits(in_one, in_other, size);
            at += size;
        }
        return counted;
    }

private:
    static constexpr std::size_t few = 64;

    [[nodiscard]] std::vector<std::uint64_t> find_bits() const {
        if (times_.size() <= few) return {};
        std::vector<std::uint64_t> bits(seconds_of_day / 64 + 1);
        for (const std::int64_t time : times_)
            bits[static_cast<std::size_t>(time / 64)] |= std::uint64_t{1} << time % 64;
        return bits;
    }
    /// Seconds `from` to `from` + 63 of the day.
    [[nodiscard]] std::uint64_t bits_at(std::int64_t from) const {
        const auto word = static_cast<std::size_t>(from / 64);
        const auto shift = from % 64;
        const std::uint64_t low = bits_[word] >> shift;
        return shift == 0 ? low : low | bits_[word + 1] << (64 - shift);
    }
    [[nodiscard]] std::uint64_t common_bits(std::int64_t one, std::int64_t other,
                                            std::int64_t size) const {
        std::uint64_t counted = 0;
        for (std::int64_t at = 0; at < size; at += 64) {
            std::uint64_t common = bits_at(one + at) & bits_at(other + at);
            if (size - at < 64) common &= (std::uint64_t{1} << (size - at)) - 1;
            counted += static_cast<std::uint64_t>(std::popcount(common));
        }
        return counted;
    }

    std::vector<std::int64_t> times_;
    std::vector<std::uint64_t> bits_ = find_bits();  // of times_, if there are many
};

/// BYSETPOS over weeks, months or years.
class ChosenInEachPeriod final : public NominalTimes {
public:
    ChosenInEachPeriod(const RruleRule& rule, WallSecond dtstart)
        : NominalTimes(rule, dtstart), times_(times_of_day(rule, dtstart)) {
        constexpr std::int64_t longest_year = 371;  // 53 weeks
        const std::int64_t longest = rule.frequency == Frequency::weekly    ? 7
                                     : rule.frequency == Frequency::monthly ? 31
                                                                            : longest_year;
        for (std::int64_t days_in_period = 0; days_in_period <= longest; ++days_in_period)
            places_.push_back(places(rule.by_position, days_in_period * per_day()));
    }

    [[nodiscard]] std::optional<WallSecond> next(WallSecond from, WallSecond to) const override {
        if (!narrow(from, to)) return std::nullopt;
        RuleDays::Walk walk(days(), periods().begin_of(day_of(from)));
        while (const auto day = next_day(walk)) {
            if (*day * seconds_of_day >= to) break;
            const auto period = days_of_period(*day, walk);
            const auto& chosen = places_.at(period.size());
            const auto found = first_from(chosen, number_before(from, period));
            if (found == chosen.end()) continue;
            const WallSecond wall =
                period[static_cast<std::size_t>(*found / per_day())] * seconds_of_day +
                times_[static_cast<std::size_t>(*found % per_day())];
            return wall < to ? std::optional(wall) : std::nullopt;
        }
        return std::nullopt;
    }

    [[nodiscard]] std::uint64_t count(WallSecond from, WallSecond to) const override {
        if (!narrow(from, to)) return 0;
        std::uint64_t counted = 0;
        RuleDays::Walk walk(days(), periods().begin_of(day_of(from)));
        while (const auto day = next_day(walk)) {
            if (*day * seconds_of_day >= to) break;
            const auto period = days_of_period(*day, walk);
            counted += count_between(places_.at(period.size()), number_before(from, period),
                                     number_before(to, period));
        }
        return counted;
    }

private:
    [[nodiscard]] std::int64_t per_day() const { return static_cast<std::int64_t>(times_.size()); }

    /// The days that count in the interval that begins with `first`; takes the others from `walk`.
    [[nodiscard]] std::vector<DayNumber> days_of_period(DayNumber first,
                                                        RuleDays::Walk& walk) const {
        const DayNumber end = periods().end_of(first);
        std::vector<DayNumber> found{first};
        for (auto day = walk.next(); day; day = walk.next()) {
            if (*day >= end) {
                walk.go_to(*day);
                break;
            }
            found.push_back(*day);
        }
        return found;
    }

    /// Number of members of the interval's set before `wall`.
    [[nodiscard]] std::int64_t number_before(WallSecond wall,
                                             const std::vector<DayNumber>& period) const {
        const auto day = first_from(period, day_of(wall));
        const auto on_days_before = (day - period.begin()) * per_day();
        if (day == period.end() || *day != day_of(wall)) return on_days_before;
        const auto time = first_from(times_, floor_mod(wall, seconds_of_day));
        return on_days_before + (time - times_.begin());
    }

    std::vector<std::int64_t> times_;
    /// The positions that BYSETPOS selects, by the number of days that count in the interval.
    std::vector<std::vector<std::int64_t>> places_;
};

}  // namespace

std::uint64_t WallTimes::count_common(WallSecond one, WallSecond other, std::int64_t length) const {
    std::uint64_t counted = 0;
    const WallSecond end = one + length;
    for (auto found = next(one, end); found; found = next(*found + 1, end)) {
        const WallSecond there = *found - one + other;
        if (next(there, there + 1)) ++counted;
    }
    return counted;
}

std::vector<std::int64_t> at_positions(std::vector<std::int64_t> values,
                                       const std::vector<int>& positions) {
    if (positions.empty()) return values;
    std::vector<std::int64_t> chosen;
    for (const std::int64_t place : places(positions, static_cast<std::int64_t>(values.size())))
        chosen.push_back(values[static_cast<std::size_t>(place)]);
    return chosen;
}

std::unique_ptr<const WallTimes> nominal_times(const RruleRule& rule, WallSecond dtstart) {
    if (rule.by_position.empty() || rule.frequency == Frequency::daily)
        return std::make_unique<SameTimesEachDay>(rule, dtstart);
    return std::make_unique<ChosenInEachPeriod>(rule, dtstart);
}

}  // namespace sundial
