#include "application/user_planner.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "application/plan_occurrence.hpp"
#include "base/check.hpp"
#include "domain/time/resolve.hpp"

namespace sundial {
namespace {

/// What only kind `local` asks for is settled by now: for a move the nearest meaning will do.
Passes resolve_again(WallTime wall, const Zone& zone, GapPolicy gap, OverlapPolicy overlap) {
    if (gap == GapPolicy::reject) gap = GapPolicy::compatible;
    if (overlap == OverlapPolicy::reject) overlap = OverlapPolicy::compatible;
    return resolve_recurring(wall, zone, gap, overlap);
}

/// The occurrence that `pending` is, at the moment that it has.
YearlyOccurrence occurrence_of(const Event& pending) {
    const Date nominal = pending.occurrence->nominal.date;
    return {.nominal = nominal,
            .wall = pending.intent.wall.value_or(std::chrono::local_days{nominal}),
            .instant = pending.due};
}

/// What a year's occurrence is by the present rule; empty if a policy drops it.
std::optional<YearlyOccurrence> same_occurrence(const YearlyRule& rule, const Zone& zone,
                                                const Event& pending) {
    const auto nominal = nominal_date(rule, pending.occurrence->nominal.date.year());
    if (!nominal) return std::nullopt;
    if (pending.intent.wall) return yearly_on(rule, zone, *nominal);
    YearlyOccurrence by_hand = occurrence_of(pending);
    by_hand.nominal = *nominal;
    return by_hand;
}

/// Equal in all but the marks of a change.
bool same(const Event& before, Event after) {
    after.version = before.version;
    after.updated_at = before.updated_at;
    after.tz_release = before.tz_release;
    return before == after;
}

}  // namespace

void UserPlanner::begin(const Schedule& schedule) {
    const auto first = first_occurrence(schedule, user_, zone_, tx_.now());
    if (!first) return;
    const Event event = planned(schedule, *first);
    if (tx_.events().add_new(std::vector{event}) == 0) return;
    earliest_ = std::min(earliest_, event.claimable_at);
}

PlanChange UserPlanner::render_again(const Schedule& schedule, const Event& pending) {
    Event wanted = pending;
    wanted.payload = planned(schedule, occurrence_of(pending)).payload;
    return store(pending, std::move(wanted), Step::retarget).value();
}

PlanChange UserPlanner::follow_zone(const Schedule* schedule, const Event& pending) {
    Event wanted = pending;
    wanted.intent.zone = user_.timezone;
    const auto passes =
        resolve_again(*wanted.intent.wall, zone_, wanted.intent.gap, wanted.intent.overlap);
    if (!passes.first) return PlanChange::dropped;
    wanted.due = *passes.first;
    if (schedule) wanted.payload = planned(*schedule, occurrence_of(wanted)).payload;
    return store(pending, std::move(wanted), Step::retarget).value();
}

PlanChange UserPlanner::replace(const Schedule& schedule, const Event& pending) {
    return become(schedule, pending, first_occurrence(schedule, user_, zone_, tx_.now()),
                  Adopt::occurrence, Step::retarget);
}

PlanChange UserPlanner::follow_rule(const Schedule& schedule, const Event& pending) {
    const auto rule = rule_for(schedule, &user_);
    if (!rule) return PlanChange::dropped;
    auto occurrence = same_occurrence(*rule, zone_, pending);
    const bool parked = pending.claimable_at == never;
    const bool resumed = parked && schedule.enabled;
    if (resumed && (!occurrence || occurrence->instant <= tx_.now())) {
        occurrence = first_occurrence(schedule, user_, zone_, tx_.now());
    }
    const Step step = !schedule.enabled ? Step::park : resumed ? Step::resume : Step::retarget;
    return become(schedule, pending, occurrence, Adopt::whole_rule, step);
}

void UserPlanner::drop(const Schedule* schedule, const Event& pending) {
    const auto cancelled = cancel_and_go_on(schedule, pending, drop_reason(schedule, pending));
    base::check(cancelled.has_value());
}

Result<Event> UserPlanner::cancel_and_go_on(const Schedule* schedule, const Event& event,
                                            std::string reason) {
    auto cancelled = cancel(event, tx_.now(), std::move(reason));
    if (!cancelled) return cancelled;
    tx_.events().finish(*cancelled);
    const auto next = schedule ? next_occurrence(*schedule, user_, zone_, event) : std::nullopt;
    if (!next) return cancelled;
    const Event successor = planned(*schedule, *next);
    // Known already where the event had been claimed before: a claim plans its successor.
    if (tx_.events().add_new(std::vector{successor}) > 0) {
        earliest_ = std::min(earliest_, successor.claimable_at);
    }
    return cancelled;
}

Event UserPlanner::planned(const Schedule& schedule, const YearlyOccurrence& occurrence) {
    return plan_occurrence(schedule, user_, zone_, occurrence, ids_, tz_release_, tx_.now());
}

PlanChange UserPlanner::become(const Schedule& schedule, const Event& pending,
                               std::optional<YearlyOccurrence> occurrence, Adopt adopt, Step step) {
    while (occurrence) {
        const Event plan = planned(schedule, *occurrence);
        Event wanted = pending;
        wanted.key = plan.key;
        wanted.payload = plan.payload;
        wanted.due = plan.due;
        // An instant given by hand comes back as it was: then there is no wall time to take over.
        if (pending.intent.wall || plan.due != pending.due) wanted.intent = plan.intent;
        wanted.occurrence->nominal = occurrence->nominal;
        if (adopt == Adopt::whole_rule) {
            wanted.occurrence->schedule_version = schedule.version;
            wanted.endpoint = schedule.endpoint;
        }
        if (const auto change = store(pending, std::move(wanted), step)) return *change;
        // That one has had its event: it fired, failed or was cancelled, and never comes again.
        occurrence = first_occurrence(schedule, user_, zone_, occurrence->instant);
    }
    return PlanChange::dropped;
}

std::optional<PlanChange> UserPlanner::store(const Event& pending, Event wanted, Step step) {
    const Intent intent = wanted.intent;
    const Instant due = wanted.due;
    wanted.tz_release = tz_release_;
    auto changed = step == Step::retarget ? retarget(std::move(wanted), intent, due, tx_.now())
                   : step == Step::resume ? resume(std::move(wanted), intent, due, tx_.now())
                                          : park(std::move(wanted), tx_.now());
    base::check(changed.has_value());
    if (same(pending, *changed)) return PlanChange::none;
    if (changed->key == pending.key) {
        tx_.events().update(*changed);
    } else if (!tx_.events().update_key(*changed, pending.key)) {
        return std::nullopt;
    }
    earliest_ = std::min(earliest_, changed->claimable_at);
    const bool moved = changed->due != pending.due || changed->key != pending.key;
    return moved ? PlanChange::moment : PlanChange::content;
}

std::string UserPlanner::drop_reason(const Schedule* schedule, const Event& pending) const {
    auto wall = pending.intent.wall;
    GapPolicy gap = pending.intent.gap;
    OverlapPolicy overlap = pending.intent.overlap;
    if (schedule) {
        const auto rule = rule_for(*schedule, &user_);
        if (!rule) return "date_removed";
        const auto nominal = nominal_date(*rule, pending.occurrence->nominal.date.year());
        if (!nominal) return "leap_skipped";
        wall = std::chrono::local_days{*nominal} + rule->at;
        gap = rule->gap;
        overlap = rule->overlap;
    }
    switch (resolve_again(*wall, zone_, gap, overlap).kind) {
        case LocalLookup::Kind::gap:
            return "gap_skipped";
        case LocalLookup::Kind::overlap:
            return "overlap_skipped";
        case LocalLookup::Kind::unique:
            break;
    }
    return "never_fires";
}

}  // namespace sundial
