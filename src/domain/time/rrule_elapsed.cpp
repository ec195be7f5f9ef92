#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "domain/time/effort.hpp"
#include "domain/time/rrule_in_zone.hpp"

namespace sundial {
namespace {

std::int64_t seconds_in_unit(Frequency frequency) {
    switch (frequency) {
        case Frequency::hourly:
            return 3600;
        case Frequency::minutely:
            return 60;
        default:
            return 1;
    }
}

/// One bit for each number, or the lowest `all` bits if there are no numbers. Second 60 is read as
/// 59.
std::uint64_t bits_of(const std::vector<int>& numbers, int all) {
    if (numbers.empty()) return (std::uint64_t{1} << all) - 1;
    std::uint64_t bits = 0;
    for (const int number : numbers) bits |= std::uint64_t{1} << std::min(number, 59);
    return bits;
}

std::int64_t ceil_div(std::int64_t value, std::int64_t by) { return -floor_div(-value, by); }

}  // namespace

// --- DaySlots -----------------------------------------------------------------------------------

DaySlots::DaySlots(const RruleRule& rule)
    : unit_(seconds_in_unit(rule.frequency)),
      interval_(rule.interval),
      hours_(bits_of(rule.by_hour, 24)),
      minutes_(unit_ < 3600 ? bits_of(rule.by_minute, 60) : 0),
      seconds_(unit_ < 60 ? bits_of(rule.by_second, 60) : 0),
      hour_(empty_counts(per_hour())) {
    const Counts one{1};
    if (unit_ == 3600) {
        hour_ = one;
        return;
    }
    minute_ = unit_ == 60 ? one : empty_counts(60);
    for (int second = 0; unit_ == 1 && second < 60; ++second) {
        if ((seconds_ >> second & 1U) != 0) add(minute_, one, second);
    }
    for (int minute = 0; minute < 60; ++minute) {
        if (allows_minute(minute)) add(hour_, minute_, minute * 60 / unit_);
    }
}

DaySlots::Counts DaySlots::empty_counts(std::int64_t slots) const {
    return Counts(static_cast<std::size_t>(std::min(slots, interval_)));
}

void DaySlots::add(Counts& sum, const Counts& counts, std::int64_t begin) const {
    std::int64_t phase = begin % interval_;
    for (const std::uint32_t count : counts) {
        sum[static_cast<std::size_t>(phase)] += count;
        if (++phase == interval_) phase = 0;
    }
}

std::uint64_t DaySlots::in(const Counts& counts, std::int64_t phase, std::int64_t begin) const {
    const auto there = static_cast<std::size_t>(floor_mod(phase - begin, interval_));
    return there < counts.size() ? counts[there] : 0;
}

bool DaySlots::allows(std::int64_t slot) const {
    const std::int64_t second = slot * unit_;
    return allows_hour(second / 3600) && (unit_ == 3600 || allows_minute(second / 60 % 60)) &&
           (unit_ > 1 || (seconds_ >> second % 60 & 1U) != 0);
}

bool DaySlots::contains(std::int64_t phase, std::int64_t slot) const {
    return floor_mod(slot - phase, interval_) == 0 && allows(slot);
}

std::optional<std::int64_t> DaySlots::step_in(std::int64_t phase, std::int64_t from,
                                              std::int64_t end) const {
    for (auto slot = from + floor_mod(phase - from, interval_); slot < end; slot += interval_) {
        if (allows(slot)) return slot;
    }
    return std::nullopt;
}

std::uint64_t DaySlots::count_steps(std::int64_t phase, std::int64_t from, std::int64_t end) const {
    std::uint64_t counted = 0;
    for (auto slot = step_in(phase, from, end); slot; slot = step_in(phase, *slot + 1, end))
        ++counted;
    return counted;
}

std::optional<std::int64_t> DaySlots::next(std::int64_t phase, std::int64_t from) const {
    const std::int64_t per_minute = std::max<std::int64_t>(60 / unit_, 1);
    while (from < per_day()) {
        effort::spend(1);
        const auto hour = from / per_hour();
        const auto hour_end = (hour + 1) * per_hour();
        if (!allows_hour(hour) || in(hour_, phase, hour * per_hour()) == 0) {
            from = hour_end;
            continue;
        }
        const auto minute = from / per_minute * per_minute;
        const auto end = std::min(minute + per_minute, hour_end);
        if (per_minute == 1 || in(minute_, phase, minute) != 0) {
            if (const auto slot = step_in(phase, from, end)) return slot;
        }
        from = end;
    }
    return std::nullopt;
}

std::uint64_t DaySlots::count_before(std::int64_t phase, std::int64_t end) const {
    std::uint64_t counted = 0;
    std::int64_t at = 0;
    for (std::int64_t hour = 0; at + per_hour() <= end; ++hour, at += per_hour()) {
        if (allows_hour(hour)) counted += in(hour_, phase, at);
    }
    if (at == end || !allows_hour(at / per_hour())) return counted;
    const std::int64_t per_minute = std::max<std::int64_t>(60 / unit_, 1);
    for (std::int64_t minute = 0; at + per_minute <= end; ++minute, at += per_minute) {
        if (allows_minute(minute)) counted += in(minute_, phase, at);
    }
    return counted + count_steps(phase, at, end);
}

std::uint64_t DaySlots::count(std::int64_t phase) const {
    std::call_once(day_->once, [this] {
        Counts counts = empty_counts(per_day());
        for (std::int64_t hour = 0; hour < 24; ++hour) {
            if (allows_hour(hour)) add(counts, hour_, hour * per_hour());
        }
        day_->counts = std::move(counts);
    });
    return in(day_->counts, phase, 0);
}

// --- ElapsedTimes -------------------------------------------------------------------------------

/// The wall times of one stretch. A slot belongs to the stretch that contains its step; expanded
/// times outside the stretch are dropped, because the clock does not show them.
class ElapsedTimes final : public WallTimes {
public:
    ElapsedTimes(const ElapsedRule& rule, const OffsetStretch& stretch)
        : rule_(rule),
          slots_(rule.slots_),
          first_slot_(floor_div(rule.start_ + stretch.offset, slots_.unit())),
          into_slot_(floor_mod(rule.start_ + stretch.offset, slots_.unit())),
          stretch_begin_(stretch.from + stretch.offset),
          end_(stretch.to + stretch.offset),
          begin_(std::max(stretch_begin_, rule.start_ + stretch.offset)),
          begin_slot_(ceil_div(begin_ - into_slot_, slots_.unit())),
          end_slot_(ceil_div(end_ - into_slot_, slots_.unit())) {
        if (into_slot_ == rule.usual_into_slot_) return;
        own_offsets_ = rule.find_offsets(into_slot_);
        own_chosen_ = at_positions(own_offsets_, rule.positions_);
    }

    [[nodiscard]] std::optional<WallSecond> next(WallSecond from, WallSecond to) const override {
        from = std::max(from, begin_);
        to = std::min(to, end_);
        if (chosen().empty()) return std::nullopt;
        auto slot = next_slot(std::max(floor_div(from, slots_.unit()), begin_slot_), to);
        while (slot) {
            Offsets cut;
            const Offsets& offsets = offsets_of(*slot, cut);
            const WallSecond begin = *slot * slots_.unit();
            const auto found = std::ranges::lower_bound(offsets, from - begin);
            if (found != offsets.end())
                return begin + *found < to ? std::optional(begin + *found) : std::nullopt;
            slot = next_slot(*slot + 1, to);
        }
        return std::nullopt;
    }

    [[nodiscard]] std::uint64_t count(WallSecond from, WallSecond to) const override {
        from = std::max(from, begin_);
        to = std::min(to, end_);
        if (from >= to || chosen().empty()) return 0;
        const auto first = floor_div(from, slots_.unit());
        const auto last = floor_div(to - 1, slots_.unit());
        // The stretch may cut the slots at both ends; all between them are whole.
        std::uint64_t counted = count_in_slot(first, from, to);
        if (last != first) counted += count_in_slot(last, from, to);
        return counted + count_slots(std::max(first + 1, begin_slot_), std::min(last, end_slot_)) *
                             chosen().size();
    }

private:
    using Offsets = std::vector<std::int64_t>;

    [[nodiscard]] const Offsets& all() const {
        return own_offsets_.empty() ? rule_.usual_offsets_ : own_offsets_;
    }
    [[nodiscard]] const Offsets& chosen() const {
        return own_offsets_.empty() ? rule_.usual_chosen_ : own_chosen_;
    }

    /// When `slot` fires. If the stretch cuts the slot, BYSETPOS counts the rest of it, and `cut`
    /// holds the result.
    [[nodiscard]] const Offsets& offsets_of(std::int64_t slot, Offsets& cut) const {
        const WallSecond begin = slot * slots_.unit();
        const bool whole = stretch_begin_ <= begin && begin + slots_.unit() <= end_;
        if (whole || rule_.positions_.empty()) return chosen();
        for (const std::int64_t offset : all()) {
            if (stretch_begin_ <= begin + offset && begin + offset < end_) cut.push_back(offset);
        }
        cut = at_positions(std::move(cut), rule_.positions_);
        return cut;
    }

    [[nodiscard]] std::int64_t phase_of(DayNumber day) const {
        return floor_mod(first_slot_ - day * slots_.per_day(), rule_.interval_);
    }

    /// The first slot at or after `slot` that has a step and begins before `to`.
    [[nodiscard]] std::optional<std::int64_t> next_slot(std::int64_t slot, WallSecond to) const {
        const auto per_day = slots_.per_day();
        const auto end = std::min(end_slot_, ceil_div(to, slots_.unit()));
        if (slot >= end) return std::nullopt;
        RuleDays::Walk walk(rule_.days_, floor_div(slot, per_day));
        while (const auto day = walk.next()) {
            const auto midnight = *day * per_day;
            if (midnight >= end) break;
            const auto phase = phase_of(*day);
            if (phase >= per_day) {  // no step on this day
                walk.go_to(*day + phase / per_day);
                continue;
            }
            const auto from = std::max<std::int64_t>(slot - midnight, 0);
            if (from == 0 && slots_.count(phase) == 0) continue;
            if (const auto found = slots_.next(phase, from))
                return midnight + *found < end ? std::optional(midnight + *found) : std::nullopt;
        }
        return std::nullopt;
    }

    [[nodiscard]] std::uint64_t count_slots(std::int64_t from, std::int64_t to) const {
        if (from >= to) return 0;
        const auto per_day = slots_.per_day();
        std::uint64_t counted = 0;
        RuleDays::Walk walk(rule_.days_, floor_div(from, per_day));
        while (const auto day = walk.next()) {
            const auto midnight = *day * per_day;
            if (midnight >= to) break;
            const auto phase = phase_of(*day);
            if (phase >= per_day) {
                walk.go_to(*day + phase / per_day);
                continue;
            }
            const auto begin = std::max<std::int64_t>(from - midnight, 0);
            const auto end = std::min(to - midnight, per_day);
            const bool whole = begin == 0 && end == per_day;
            counted += whole ? slots_.count(phase)
                             : slots_.count_before(phase, end) - slots_.count_before(phase, begin);
        }
        return counted;
    }

    [[nodiscard]] std::uint64_t count_in_slot(std::int64_t slot, WallSecond from,
                                              WallSecond to) const {
        if (slot < begin_slot_ || slot >= end_slot_) return 0;
        const DayNumber day = floor_div(slot, slots_.per_day());
        if (!rule_.days_.contains(day) ||
            !slots_.contains(phase_of(day), slot - day * slots_.per_day()))
            return 0;
        Offsets cut;
        const Offsets& offsets = offsets_of(slot, cut);
        const WallSecond begin = slot * slots_.unit();
        return static_cast<std::uint64_t>(std::ranges::lower_bound(offsets, to - begin) -
                                          std::ranges::lower_bound(offsets, from - begin));
    }

    const ElapsedRule& rule_;
    const DaySlots& slots_;
    std::int64_t first_slot_, into_slot_;  // DTSTART's, by this stretch's clock
    WallSecond stretch_begin_, end_, begin_;
    std::int64_t begin_slot_, end_slot_;
    Offsets own_offsets_, own_chosen_;  // if they are not the usual ones
};

// --- ElapsedRule --------------------------------------------------------------------------------

ElapsedRule::ElapsedRule(const RruleRule& rule, std::int64_t start, std::int64_t offset_at_start)
    : days_(rule, day_of(start + offset_at_start)),
      slots_(rule),
      frequency_(rule.frequency),
      interval_(rule.interval),
      start_(start),
      by_minute_(rule.by_minute),
      by_second_(rule.by_second),
      positions_(rule.by_position),
      usual_into_slot_(floor_mod(start + offset_at_start, slots_.unit())),
      usual_offsets_(find_offsets(usual_into_slot_)),
      usual_chosen_(at_positions(usual_offsets_, positions_)) {}

ElapsedRule::Offsets ElapsedRule::find_offsets(std::int64_t into_slot) const {
    if (frequency_ == Frequency::secondly) return {0};
    const auto or_own = [](const std::vector<int>& numbers, std::int64_t own) {
        return numbers.empty() ? std::vector{static_cast<int>(own)} : numbers;
    };
    const auto minutes =
        frequency_ == Frequency::hourly ? or_own(by_minute_, into_slot / 60) : std::vector{0};
    Offsets offsets;
    for (const int minute : minutes) {
        for (const int second : or_own(by_second_, into_slot % 60))
            offsets.push_back(minute * 60 + std::min(second, 59));
    }
    offsets.erase(std::ranges::unique(offsets).begin(), offsets.end());
    return offsets;
}

std::unique_ptr<const WallTimes> ElapsedRule::times_in(const OffsetStretch& stretch) const {
    return std::make_unique<ElapsedTimes>(*this, stretch);
}

std::optional<std::int64_t> ElapsedRule::nothing_before(std::int64_t instant) const {
    // A step fires in its own slot, so less than one unit away.
    const std::int64_t every = interval_ * slots_.unit();
    const auto steps = std::max<std::int64_t>(ceil_div(instant - slots_.unit() - start_, every), 0);
    const auto step = start_ + steps * every - slots_.unit();
    // Clocks are less than two days from UTC.
    constexpr std::int64_t two_days = 2 * seconds_of_day;
    RuleDays::Walk walk(days_, day_of(std::max(instant, step) - two_days));
    const auto day = walk.next();
    if (!day) return std::nullopt;
    return std::max({instant, step, *day * seconds_of_day - two_days});
}

}  // namespace sundial
