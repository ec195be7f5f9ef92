#include "application/schedules/chain_planner.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "application/schedules/occurrences.hpp"
#include "application/schedules/payload_template.hpp"
#include "base/check.hpp"
#include "domain/time/resolve.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;

/// Kind `local` has rejected gaps and overlaps at creation. For a move the nearest meaning is
/// accepted.
NominalOccurrences resolve_again(WallTime wall, const Zone& zone, GapPolicy gap,
                                 OverlapPolicy overlap) {
    if (gap == GapPolicy::reject) gap = GapPolicy::compatible;
    if (overlap == OverlapPolicy::reject) overlap = OverlapPolicy::compatible;
    return occurrences_at(wall, zone, gap, overlap);
}

/// The occurrence of `pending`, at its current instant.
RuleOccurrence occurrence_of(const Event& pending) {
    const Nominal& nominal = pending.occurrence->nominal;
    return {.instant = pending.due,
            .nominal = pending.intent.wall.value_or(wall_of(nominal)),
            .second_pass = nominal.second_pass};
}

/// Equal except for version, update time and tz release.
bool same(const Event& before, Event after) {
    after.version = before.version;
    after.updated_at = before.updated_at;
    after.tz_release = before.tz_release;
    return before == after;
}

bool names_a_skip(const std::string& reason) {
    return reason == to_string(OccurrenceNote::gap_skipped) ||
           reason == to_string(OccurrenceNote::overlap_skipped) ||
           reason == to_string(OccurrenceNote::leap_skipped);
}

/// Empty if the zone has left the tz database or the user lacks the date.
std::optional<ScheduleRule> rule_in(const TzData& zones, const Schedule& schedule,
                                    const User* user) {
    auto rule = rule_of_schedule(schedule, user, zones);
    return rule ? std::optional{*std::move(rule)} : std::nullopt;
}

}  // namespace

void ChainPlanner::begin(const Schedule& schedule) {
    const auto rule = rule_of(schedule);
    if (!rule) return;
    plan(*rule, rule->first_after(tx_.now()), [&] { return has_chain(tx_, schedule.id, user_); });
}

void ChainPlanner::begin_again(const Schedule& schedule) {
    if (!has_chain(tx_, schedule.id, user_)) begin(schedule);
}

PlanChange ChainPlanner::render_again(const Schedule& schedule, const Event& pending) {
    Event replacement = pending;
    if (!replacement.intent.wall && kind_of(schedule.trigger) == TriggerKind::every && user_) {
        replacement.intent.zone = user_->timezone;
    }
    replacement.payload = rendered(schedule, replacement);
    return store(pending, std::move(replacement), Step::retarget).value();
}

PlanChange ChainPlanner::follow_zone(const Schedule* schedule, const Event& pending) {
    Event replacement = pending;
    replacement.intent.zone = user_->timezone;
    const auto zone = zones_.find(user_->timezone);
    if (!zone) return PlanChange::none;
    const auto passes = resolve_again(*replacement.intent.wall, **zone, replacement.intent.gap,
                                      replacement.intent.overlap);
    if (!passes.first || is_skip(passes.first->note)) return PlanChange::dropped;
    replacement.due = passes.first->instant;
    if (schedule) replacement.payload = rendered(*schedule, replacement);
    return store(pending, std::move(replacement), Step::retarget).value();
}

PlanChange ChainPlanner::replace(const Schedule& schedule, const Event& pending) {
    const auto rule = rule_of(schedule);
    if (!rule) return PlanChange::dropped;
    return become(*rule, pending, rule->first_after(tx_.now()), Adopt::occurrence, Step::retarget);
}

PlanChange ChainPlanner::follow_rule(const Schedule& schedule, const Event& pending) {
    const auto rule = rule_of(schedule);
    if (!rule) return PlanChange::dropped;
    const bool parked = pending.claimable_at == never;
    const bool resumed = parked && schedule.enabled;
    if (resumed) record_pause(*rule, pending);
    const Step step = !schedule.enabled ? Step::park : resumed ? Step::resume : Step::retarget;
    return become(*rule, pending, present(*rule, pending, resumed), Adopt::whole_rule, step);
}

void ChainPlanner::drop(const Schedule* schedule, const Event& pending) {
    std::string reason = drop_reason(schedule, pending);
    if (schedule && names_a_skip(reason)) {
        tx_.skips().add({.id = ids_.fresh(),
                         .schedule = schedule->id,
                         .user = pending.user,
                         .reason = reason,
                         .first = pending.due,
                         .last = pending.due,
                         .next = std::nullopt,
                         .recorded_at = tx_.now()});
    }
    const auto cancelled = cancel_and_go_on(schedule, pending, std::move(reason));
    base::check(cancelled.has_value());
}

ScheduleResult<Event> ChainPlanner::cancel_and_go_on(const Schedule* schedule, const Event& event,
                                                     std::string reason) {
    auto cancelled = cancel(event, tx_.now(), std::move(reason));
    if (!cancelled) return cancelled;
    tx_.events().finish(*cancelled);
    if (schedule) go_on(*schedule, event);
    return cancelled;
}

void ChainPlanner::go_on(const Schedule& schedule, const Event& cancelled) {
    const auto rule = rule_of(schedule);
    // It may already be planned if the event was claimed before: a claim plans its successor.
    if (rule) plan(*rule, rule->next_of(cancelled), [&] { return has_successor(tx_, cancelled); });
}

void ChainPlanner::plan(const ScheduleRule& rule, std::optional<RuleOccurrence> next,
                        const std::function<bool()>& is_planned) {
    for (; next; next = rule.first_after(next->instant)) {
        const Event event = planned(rule, *next);
        if (tx_.events().add_new(std::vector{event}) > 0) {
            earliest_ = std::min(earliest_, event.claimable_at);
            return;
        }
        // If the event with this key is live, the chain is planned. Otherwise the occurrence has
        // had its event and is not planned again.
        if (is_planned()) return;
    }
}

std::optional<ScheduleRule> ChainPlanner::rule_of(const Schedule& schedule) const {
    return rule_in(zones_, schedule, user_);
}

Event ChainPlanner::planned(const ScheduleRule& rule, const RuleOccurrence& occurrence) {
    return plan_occurrence(rule, occurrence, ids_, tz_release_, tx_.now());
}

std::string ChainPlanner::rendered(const Schedule& schedule, const Event& event) const {
    const auto zone = zones_.find(event.intent.zone);
    if (!zone) return event.payload;
    return rendered_payload(schedule.payload, user_, **zone, event.occurrence->nominal.date,
                            event.due);
}

std::optional<RuleOccurrence> ChainPlanner::present(const ScheduleRule& rule, const Event& pending,
                                                    bool resumed) {
    const auto first = [&] { return rule.first_after(tx_.now()); };
    const auto same = rule.same_as(pending);
    const bool yearly = kind_of(rule.schedule().trigger) == TriggerKind::yearly;
    if (rule.moved_by_hand(pending) && (same || !yearly)) {
        RuleOccurrence by_hand = occurrence_of(pending);
        if (yearly) by_hand.nominal = std::chrono::local_days{rule.nominal_of(*same).date};
        return resumed && by_hand.instant <= tx_.now() ? first() : std::optional{by_hand};
    }
    if (resumed) return yearly && same && same->instant > tx_.now() ? same : first();
    if (yearly) return same;
    // An event that is already due is about to be sent, and the new rule also yields it.
    return same && same->instant <= tx_.now() ? same : first();
}

PlanChange ChainPlanner::become(const ScheduleRule& rule, const Event& pending,
                                std::optional<RuleOccurrence> occurrence, Adopt adopt, Step step) {
    while (occurrence) {
        const Event plan = planned(rule, *occurrence);
        Event replacement = pending;
        replacement.key = plan.key;
        replacement.payload = plan.payload;
        replacement.due = plan.due;
        // An instant set by a caller stays.
        const bool by_hand = rule.moved_by_hand(pending) && plan.due == pending.due;
        if (!by_hand) {
            replacement.jitter = plan.jitter;
            replacement.intent = plan.intent;
        }
        replacement.occurrence->nominal = plan.occurrence->nominal;
        if (adopt == Adopt::whole_rule) {
            replacement.occurrence->schedule_version = rule.schedule().version;
            replacement.endpoint = rule.schedule().endpoint;
            replacement.type = rule.schedule().event_type;
            replacement.priority = rule.schedule().priority;
        }
        if (const auto change = store(pending, std::move(replacement), step)) return *change;
        // That occurrence had its event, which fired, failed or was cancelled, so it is not planned
        // again.
        occurrence = rule.first_after(occurrence->instant);
    }
    return PlanChange::dropped;
}

std::optional<PlanChange> ChainPlanner::store(const Event& pending, Event replacement, Step step) {
    const Intent intent = replacement.intent;
    const Instant due = replacement.due;
    replacement.tz_release = tz_release_;
    if (!has_instant(pending)) step = Step::resume;  // it has one now
    auto changed = step == Step::retarget ? retarget(std::move(replacement), intent, due, tx_.now())
                   : step == Step::resume ? resume(std::move(replacement), intent, due, tx_.now())
                                          : park(std::move(replacement), tx_.now());
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

void ChainPlanner::record_pause(const ScheduleRule& rule, const Event& pending) {
    const Instant from = pending.due - microseconds{1};
    const std::uint64_t missed = rule.recurrence().count(from, tx_.now());
    if (missed == 0) return;
    const auto next = rule.first_after(tx_.now());
    tx_.skips().add({.id = ids_.fresh(),
                     .schedule = rule.schedule().id,
                     .user = pending.user,
                     .reason = "paused",
                     .first = rule.first_after(from)->instant,
                     .last = newest_until(rule.recurrence(), from, tx_.now(), 1).front().instant,
                     .count = missed,
                     .next = next ? std::optional{next->instant} : std::nullopt,
                     .recorded_at = tx_.now()});
}

std::string ChainPlanner::drop_reason(const Schedule* schedule, const Event& pending) const {
    auto wall = pending.intent.wall;
    GapPolicy gap = pending.intent.gap;
    OverlapPolicy overlap = pending.intent.overlap;
    if (schedule) {
        const auto yearly = rule_for(*schedule, user_);
        const bool has_date = yearly || kind_of(schedule->trigger) != TriggerKind::yearly;
        if (!has_date) return "date_removed";
        if (!yearly) return "schedule_ended";
        const auto nominal = nominal_date(*yearly, pending.occurrence->nominal.date.year());
        if (!nominal) return "leap_skipped";
        wall = std::chrono::local_days{*nominal} + yearly->at;
        gap = yearly->gap;
        overlap = yearly->overlap;
    }
    const std::string name = user_      ? user_->timezone
                             : schedule ? schedule->timezone.value_or("UTC")
                                        : "UTC";
    const auto zone = zones_.find(name);
    if (zone && wall) {
        const auto found = resolve_again(*wall, **zone, gap, overlap).first;
        if (found && is_skip(found->note)) return std::string{to_string(found->note)};
    }
    return "schedule_ended";
}

}  // namespace sundial
