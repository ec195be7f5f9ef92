#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "domain/event.hpp"
#include "domain/schedule.hpp"
#include "domain/time/recurrence.hpp"
#include "domain/time/recurrence_set.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"
#include "domain/user.hpp"

namespace sundial {

/// The delay between `due` and the dispatch of an occurrence of `schedule` (its id): at least zero,
/// less than `jitter`, and less than half the distance to `next`, the following occurrence
/// (time-semantics 11). The same on every machine and in every release, so that a restart changes
/// nothing.
[[nodiscard]] std::chrono::microseconds jitter_of(std::string_view schedule, Instant due,
                                                  std::optional<Instant> next,
                                                  std::chrono::seconds jitter);

/// The rule of a schedule for one user, or without one, in one zone: its occurrences in order. The
/// arguments it was built from must outlive it.
class ScheduleRule {
public:
    /// In the user's zone, or without a user in the schedule's own. Errors: those of `find_zone`;
    /// never_fires, also if the user lacks the date.
    [[nodiscard]] static TimeResult<ScheduleRule> of(const Schedule& schedule, const User* user,
                                                     const FindZone& find_zone);

    /// The whole rule, between the schedule's start and end.
    [[nodiscard]] const Recurrence& recurrence() const { return *recurrence_; }
    [[nodiscard]] const Schedule& schedule() const { return schedule_; }
    [[nodiscard]] const User* user() const { return user_; }
    [[nodiscard]] const Zone& zone() const { return *zone_; }

    [[nodiscard]] std::optional<RuleOccurrence> first_after(Instant after) const;
    /// The occurrence after `fired`, an event of the schedule: later than its instant, and never
    /// the same occurrence. A yearly rule yields no second occurrence in a year for the same date
    /// (an edit may have moved 29 February between 28 February and 1 March).
    [[nodiscard]] std::optional<RuleOccurrence> next_of(const Event& fired) const;
    /// The first at or after `from` that may follow `fired`.
    [[nodiscard]] std::optional<RuleOccurrence> next_of(const Event& fired, Instant from) const;
    /// The occurrence of `event` under the current rule: for a yearly rule the one of its year, for
    /// others only an unchanged one.
    [[nodiscard]] std::optional<RuleOccurrence> same_as(const Event& event) const;
    /// Whether the instant of `event` was set by hand instead of by the rule.
    [[nodiscard]] bool moved_by_hand(const Event& event) const;

    [[nodiscard]] Nominal nominal_of(const RuleOccurrence& occurrence) const;
    /// The delay of its delivery after its instant.
    [[nodiscard]] std::chrono::microseconds jitter_of(const RuleOccurrence& occurrence) const;

private:
    ScheduleRule(const Schedule& schedule, const User* user, std::shared_ptr<const Zone> zone,
                 std::optional<YearlyRule> yearly, std::shared_ptr<const Recurrence> recurrence)
        : schedule_(schedule),
          user_(user),
          zone_(std::move(zone)),
          yearly_(yearly),
          recurrence_(std::move(recurrence)) {}

    [[nodiscard]] bool may_follow(const Event& fired, const RuleOccurrence& next) const;
    /// The instant at which the clock shows the nominal time of `event`.
    [[nodiscard]] Instant place_of(const Event& event) const;
    [[nodiscard]] bool runs_at(Instant instant) const;

    const Schedule& schedule_;
    const User* user_;
    std::shared_ptr<const Zone> zone_;
    std::optional<YearlyRule> yearly_;  // of a yearly trigger
    std::shared_ptr<const Recurrence> recurrence_;
};

/// Whether its occurrences follow elapsed time: cron jobs that follow the clock, RRULEs of exact
/// elapsed time, intervals. All others have nominal times, and each happens once, even if the clock
/// changes.
[[nodiscard]] bool counts_elapsed_time(const Trigger& trigger);

/// The recurrence set of an RRULE trigger. `zone` is for a DTSTART that names none; if it names
/// one, `zone` must be the same. Errors: bad_rrule, bad_time, out_of_range, bad_request.
[[nodiscard]] TimeResult<RecurrenceSet> read_rrule(const RruleTrigger& trigger,
                                                   std::optional<std::string_view> zone);
/// The same if the zone does not matter: in the zone that DTSTART names, otherwise in UTC.
[[nodiscard]] TimeResult<RecurrenceSet> read_rrule(const RruleTrigger& trigger);

}  // namespace sundial
