#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "domain/time/rrule_walls.hpp"

/// Rules of hours, minutes and seconds: exact elapsed time from DTSTART, filtered by the wall clock
/// at each step. Internal to the RRULE engine.
namespace sundial {

/// A period in which a zone keeps its offset, in seconds since 1970.
struct OffsetStretch {
    std::int64_t from, to;  // UTC; the stretch is [from, to)
    std::int64_t offset;    // east of UTC
};

/// The slots of a day (hours, minutes or seconds) that BYHOUR, BYMINUTE and BYSECOND allow for a
/// step, combined with INTERVAL: those that are `phase` modulo the interval. Answers without
/// iterating over them. Thread-safe.
class DaySlots {
public:
    DaySlots(const RruleRule& rule);

    [[nodiscard]] std::int64_t unit() const { return unit_; }  // seconds
    [[nodiscard]] std::int64_t per_day() const { return seconds_of_day / unit_; }

    /// The first at or after `from`.
    [[nodiscard]] std::optional<std::int64_t> next(std::int64_t phase, std::int64_t from) const;
    [[nodiscard]] bool contains(std::int64_t phase, std::int64_t slot) const;
    [[nodiscard]] std::uint64_t count_before(std::int64_t phase, std::int64_t end) const;
    [[nodiscard]] std::uint64_t count(std::int64_t phase) const;

private:
    /// By phase, the number of slots of an hour, minute or day in the set.
    using Counts = std::vector<std::uint32_t>;

    [[nodiscard]] std::int64_t per_hour() const { return 3600 / unit_; }
    [[nodiscard]] bool allows(std::int64_t slot) const;
    [[nodiscard]] bool allows_hour(std::int64_t hour) const { return (hours_ >> hour & 1U) != 0; }
    [[nodiscard]] bool allows_minute(std::int64_t minute) const {
        return (minutes_ >> minute & 1U) != 0;
    }
    /// The sum of `counts` for a period of slots that begins at `begin`.
    [[nodiscard]] std::uint64_t in(const Counts& counts, std::int64_t phase,
                                   std::int64_t begin) const;
    [[nodiscard]] std::optional<std::int64_t> step_in(std::int64_t phase, std::int64_t from,
                                                      std::int64_t end) const;
    [[nodiscard]] std::uint64_t count_steps(std::int64_t phase, std::int64_t from,
                                            std::int64_t end) const;
    [[nodiscard]] Counts empty_counts(std::int64_t slots) const;
    void add(Counts& sum, const Counts& counts, std::int64_t begin) const;

    std::int64_t unit_, interval_;
    std::uint64_t hours_, minutes_, seconds_;  // allowed values, one bit each
    Counts minute_, hour_;
    struct Day {
        std::once_flag once;
        Counts counts;
    };
    std::unique_ptr<Day> day_ = std::make_unique<Day>();  // computed on first use
};

/// One rule of FREQ HOURLY, MINUTELY or SECONDLY. Immutable and thread-safe.
class ElapsedRule {
public:
    /// `start` is DTSTART as seconds since 1970 in UTC.
    ElapsedRule(const RruleRule& rule, std::int64_t start, std::int64_t offset_at_start);

    /// The times that fire in `stretch`, as wall times of its offset. The rule must outlive them.
    [[nodiscard]] std::unique_ptr<const WallTimes> times_in(const OffsetStretch& stretch) const;
    /// An instant (UTC): nothing fires from `instant` until then. Empty: nothing fires any more.
    [[nodiscard]] std::optional<std::int64_t> nothing_before(std::int64_t instant) const;

private:
    friend class ElapsedTimes;
    /// Seconds into a slot.
    using Offsets = std::vector<std::int64_t>;

    /// When a step at `into_slot` of its slot fires, before BYSETPOS.
    [[nodiscard]] Offsets find_offsets(std::int64_t into_slot) const;

    RuleDays days_;
    DaySlots slots_;
    Frequency frequency_;
    std::int64_t interval_;  // slots
    std::int64_t start_;
    std::vector<int> by_minute_, by_second_, positions_;
    // Most stretches differ from DTSTART's by whole slots: these are computed once.
    std::int64_t usual_into_slot_;
    Offsets usual_offsets_, usual_chosen_;  // before and after BYSETPOS
};

}  // namespace sundial
