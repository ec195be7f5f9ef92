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
#include "domain/time/zone.hpp"
#include "domain/user.hpp"

namespace sundial {

/// A schedule as it runs for one user, or for nobody, in one zone: which of its occurrences comes
/// when. What it was made of must outlive it.
class ScheduleRule {
public:
    /// In the user's zone, or without a user in the schedule's own. Errors: those of `find_zone`;
    /// never_fires, also where the user lacks the date.
    [[nodiscard]] static TimeResult<ScheduleRule> of(const Schedule& schedule, const User* user,
                                                     const FindZone& find_zone);

    /// The whole rule, between the schedule's start and end.
    [[nodiscard]] const Recurrence& recurrence() const { return *recurrence_; }
    [[nodiscard]] const Schedule& schedule() const { return schedule_; }
    [[nodiscard]] const User* user() const { return user_; }
    [[nodiscard]] const Zone& zone() const { return *zone_; }

    [[nodiscard]] std::optional<RuleOccurrence> first_after(Instant after) const;
    /// The one that follows `fired`, an event of the schedule: later than its instant, never the
    /// same occurrence again; of a yearly rule not a second one in a year for what is still the
    /// same date (29 February may have moved between 28 February and 1 March by an edit).
    [[nodiscard]] std::optional<RuleOccurrence> next_of(const Event& fired) const;
    /// The first at or after `from` that may follow `fired`.
    [[nodiscard]] std::optional<RuleOccurrence> next_of(const Event& fired, Instant from) const;
    /// The occurrence that `event` is, where the rule has it now: of a yearly rule that of its
    /// year, of others only what is unchanged.
    [[nodiscard]] std::optional<RuleOccurrence> same_as(const Event& event) const;
    /// Somebody gave it an instant by hand.
    [[nodiscard]] bool moved_by_hand(const Event& event) const;

    [[nodiscard]] Nominal nominal_of(const RuleOccurrence& occurrence) const;
    /// How long after its instant it is sent.
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
    /// Where the clock shows the nominal time of `event`.
    [[nodiscard]] Instant place_of(const Event& event) const;
    [[nodiscard]] bool runs_at(Instant instant) const;

    const Schedule& schedule_;
    const User* user_;
    std::shared_ptr<const Zone> zone_;
    std::optional<YearlyRule> yearly_;  // of a yearly trigger
    std::shared_ptr<const Recurrence> recurrence_;
};

/// Whether its occurrences go by real time: cron jobs that follow the clock, RRULEs of exact
/// elapsed time, intervals. All others have nominal times, each of which happens once, whatever the
/// clock does.
[[nodiscard]] bool goes_by_real_time(const Trigger& trigger);

/// The set that an RRULE trigger is; `zone` is for a DTSTART that names none, and no other than the
/// one it names. Errors: bad_rrule, bad_time, out_of_range, bad_request.
[[nodiscard]] TimeResult<RecurrenceSet> read_rrule(const RruleTrigger& trigger,
                                                   std::optional<std::string_view> zone);
/// The same where the zone does not matter: in the one that DTSTART names, or in none in UTC.
[[nodiscard]] TimeResult<RecurrenceSet> read_rrule(const RruleTrigger& trigger);

}  // namespace sundial
