#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "domain/schedule.hpp"
#include "domain/schedule_rule.hpp"
#include "domain/user.hpp"

namespace sundial {

/// What planning did to an event.
enum class PlanChange : std::uint8_t {
    none,     // it was right already
    content,  // payload, endpoint or rule, but not when
    moment,   // another instant, or another occurrence
    dropped,  // nothing yet, for it has no occurrence any more: `drop` it
};

/// Plans the events that schedules make for one user, or for nobody, and moves those that are
/// PENDING by the identity rules of time-semantics 10. Works inside one transaction, in which
/// neither the schedule can change nor the event be claimed. An event to which somebody gave an
/// instant by hand keeps it, unless its date goes.
class ChainPlanner {
public:
    /// `user` is null for what does not run for each user. What is given must outlive this.
    ChainPlanner(Transaction& tx, const User* user, const TzData& zones, Ids& ids)
        : tx_(tx), user_(user), zones_(zones), ids_(ids), tz_release_(zones.release()) {}

    /// Plans the first occurrence after now whose key nobody has, if there is one.
    void begin(const Schedule& schedule);
    /// The same, unless one is planned: for a chain that had come to its end.
    void begin_again(const Schedule& schedule);

    // Of PENDING events. `schedule` may be null where the event is of none.

    /// The same moment, with the names and dates that the user has now.
    PlanChange render_again(const Schedule& schedule, const Event& pending);
    /// The same wall time in the user's zone, where it was in another.
    PlanChange follow_zone(const Schedule* schedule, const Event& pending);
    /// The first occurrence after now in place of the one that it is.
    PlanChange replace(const Schedule& schedule, const Event& pending);
    /// What it is by the schedule's present rule. A yearly one keeps its year; for others the rule
    /// is a new definition, so it is the next after now. After a pause, what is past gives way to
    /// the next after now too.
    PlanChange follow_rule(const Schedule& schedule, const Event& pending);
    /// Cancels what has no occurrence any more, naming the policy, and plans the next.
    void drop(const Schedule* schedule, const Event& pending);

    /// Cancels a live event and plans what comes after it. Errors: InvalidStateTransition.
    Result<Event> cancel_and_go_on(const Schedule* schedule, const Event& event,
                                   std::string reason);

    /// When the first of all that was planned and moved is claimable; `never` if nothing is.
    [[nodiscard]] Instant earliest() const { return earliest_; }

private:
    enum class Step : std::uint8_t { retarget, resume, park };
    enum class Adopt : std::uint8_t { occurrence, whole_rule };

    [[nodiscard]] std::optional<ScheduleRule> rule_of(const Schedule& schedule) const;
    [[nodiscard]] Event planned(const ScheduleRule& rule, const RuleOccurrence& occurrence);
    [[nodiscard]] std::string rendered(const Schedule& schedule, const Event& event) const;
    /// Plans the first occurrence from `next` on whose key nobody has, unless all `is_planned`.
    void plan(const ScheduleRule& rule, std::optional<RuleOccurrence> next,
              const std::function<bool()>& is_planned);
    /// Which occurrence a PENDING event becomes by the present rule.
    [[nodiscard]] std::optional<RuleOccurrence> present(const ScheduleRule& rule,
                                                        const Event& pending, bool resumed);
    /// `pending` becomes `occurrence`, or the first one after it whose key nobody has.
    PlanChange become(const ScheduleRule& rule, const Event& pending,
                      std::optional<RuleOccurrence> occurrence, Adopt adopt, Step step);
    /// `wanted` in place of `pending`; empty if its key is taken.
    std::optional<PlanChange> store(const Event& pending, Event wanted, Step step);
    /// What was missed while the schedule was paused.
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
