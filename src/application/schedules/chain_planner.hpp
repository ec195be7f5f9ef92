#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"
#include "domain/schedule.hpp"
#include "domain/schedule_rule.hpp"
#include "domain/user.hpp"

namespace sundial {

/// The effect of planning on an event.
enum class PlanChange : std::uint8_t {
    none,     // the event was up to date
    content,  // payload, endpoint or rule changed, but not the time
    moment,   // another instant, or another occurrence
    dropped,  // nothing yet: the event has no occurrence any more, so `drop` it
};

/// Plans the events of schedules for one user, or for none, and moves PENDING ones by the identity
/// rules of time-semantics 10. Works inside one transaction, in which neither the schedule can
/// change nor the event be claimed. An event that a caller moved to another instant keeps it,
/// unless its date is dropped.
class ChainPlanner {
public:
    /// `user` is null for schedules that are not perUser. The arguments outlive this object.
    ChainPlanner(Transaction& tx, const User* user, const TzData& zones, Ids& ids)
        : tx_(tx), user_(user), zones_(zones), ids_(ids), tz_release_(zones.release()) {}

    /// Plans the first occurrence after now whose key is free, if there is one.
    void begin(const Schedule& schedule);
    /// The same, unless one is already planned: for a chain that had ended.
    void begin_again(const Schedule& schedule);

    // These move PENDING events. `schedule` may be null if the event has none.

    /// Keeps the instant and renders the payload with the user's current names and dates.
    PlanChange render_again(const Schedule& schedule, const Event& pending);
    /// Keeps the wall time and moves the event to the user's zone, if it was in another.
    PlanChange follow_zone(const Schedule* schedule, const Event& pending);
    /// Replaces its occurrence with the first one after now.
    PlanChange replace(const Schedule& schedule, const Event& pending);
    /// Applies the schedule's current rule. A yearly event keeps its year. For others the rule is a
    /// new definition, so the event becomes the next occurrence after now. After a pause, a past
    /// occurrence also becomes the next one after now.
    PlanChange follow_rule(const Schedule& schedule, const Event& pending);
    /// Cancels an event without an occurrence, with the policy as the reason, and plans the next.
    void drop(const Schedule* schedule, const Event& pending);

    /// Cancels a live event and plans its successor. Errors: InvalidStateTransition.
    ScheduleResult<Event> cancel_and_go_on(const Schedule* schedule, const Event& event,
                                           std::string reason);

    /// Plans the successor of an event that was cancelled without one.
    void go_on(const Schedule& schedule, const Event& cancelled);

    /// When the first of the planned and moved events is claimable; `never` if there is none.
    [[nodiscard]] Instant earliest() const { return earliest_; }

private:
    enum class Step : std::uint8_t { retarget, resume, park };
    enum class Adopt : std::uint8_t { occurrence, whole_rule };

    [[nodiscard]] std::optional<ScheduleRule> rule_of(const Schedule& schedule) const;
    [[nodiscard]] Event planned(const ScheduleRule& rule, const RuleOccurrence& occurrence);
    [[nodiscard]] std::string rendered(const Schedule& schedule, const Event& event) const;
    /// Plans the first occurrence from `next` on whose key is free, unless `is_planned` returns
    /// true.
    void plan(const ScheduleRule& rule, std::optional<RuleOccurrence> next,
              const std::function<bool()>& is_planned);
    /// The occurrence of a PENDING event under the current rule.
    [[nodiscard]] std::optional<RuleOccurrence> present(const ScheduleRule& rule,
                                                        const Event& pending, bool resumed);
    /// Changes `pending` to `occurrence`, or to the first later one whose key is free.
    PlanChange become(const ScheduleRule& rule, const Event& pending,
                      std::optional<RuleOccurrence> occurrence, Adopt adopt, Step step);
    /// Replaces `pending` with `replacement`; empty if its key is taken.
    std::optional<PlanChange> store(const Event& pending, Event replacement, Step step);
    /// Records the occurrences missed during the pause.
    void record_pause(const ScheduleRule& rule, const Event& pending);
    [[nodiscard]] std::string drop_reason(const Schedule* schedule, const Event& pending) const;

    Transaction& tx_;
    const User* user_;
    const TzData& zones_;
    Ids& ids_;
    std::string tz_release_;
    Instant earliest_ = never;
};

}  // namespace sundial
