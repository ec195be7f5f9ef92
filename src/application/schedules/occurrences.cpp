#include "application/schedules/occurrences.hpp"

#include <chrono>

#include "application/schedules/payload_template.hpp"
#include "domain/time/misfire.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using std::chrono::microseconds;

bool perhaps_sent(const Event& event) {
    return event.first_attempt_at || event.retry_count > 0 || event.retry_of;
}

std::string policy_name(const MisfireRule& rule, Punctuality punctuality) {
    if (punctuality == Punctuality::expired) return "window";
    switch (rule.policy) {
        case MisfirePolicy::all:
            return "misfire_limit";
        case MisfirePolicy::once:
            return "misfire_once";
        case MisfirePolicy::skip:
            break;
    }
    return "misfire_skip";
}

/// Where the chain continues if the event and all occurrences up to `caught` are dropped.
std::optional<RuleOccurrence> goes_on_at(const ScheduleRule& rule, const Event& event,
                                         const CatchUp& caught) {
    const auto& next = caught.fire.empty() ? caught.next : std::optional{caught.fire.front()};
    return next ? rule.next_of(event, next->instant) : std::nullopt;
}

std::optional<Judgement> judge_lateness(const ScheduleRule& rule, const Event& event, Instant now) {
    const MisfireRule& misfire = rule.schedule().misfire;
    const Punctuality punctuality = punctuality_of(event.due, now, misfire);
    const bool all = misfire.policy == MisfirePolicy::all;
    if (rule.moved_by_hand(event)) return std::nullopt;
    if (punctuality == Punctuality::on_time && !all) return std::nullopt;
    const Instant before = event.due - microseconds{1};
    // Events on time count towards the limit too.
    if (punctuality != Punctuality::expired && all &&
        rule.recurrence().count(before, now) <= misfire.limit) {
        return std::nullopt;
    }
    const CatchUp caught = catch_up(rule.recurrence(), before, now, misfire);
    if (caught.dropped == 0) return std::nullopt;
    return Judgement{.dropped = policy_name(misfire, punctuality),
                     .last = caught.last_dropped->instant,
                     .count = caught.dropped,
                     .next = goes_on_at(rule, event, caught)};
}

bool previous_is_unfinished(Transaction& tx, const Event& event) {
    return tx.events().has_live({.schedule = event.occurrence->schedule,
                                 .user = event.user,
                                 .origin = std::nullopt,
                                 .due_before = event.due});
}

}  // namespace

Judgement judge(Transaction& tx, const ScheduleRule& rule, const Event& claimed) {
    if (perhaps_sent(claimed)) return {.next = rule.next_of(claimed)};
    // Measured from its dispatch time: jitter makes no event late.
    if (auto late = judge_lateness(rule, claimed, tx.now() - claimed.jitter)) {
        return *std::move(late);
    }
    Judgement judgement{.last = claimed.due, .next = rule.next_of(claimed)};
    if (rule.schedule().concurrency == Concurrency::forbid && previous_is_unfinished(tx, claimed)) {
        judgement.dropped = "concurrency";
    }
    return judgement;
}

namespace {

/// Selects one pass if the nominal time occurs twice.
Intent intent_of(const ScheduleRule& rule, const RuleOccurrence& occurrence) {
    const Schedule& schedule = rule.schedule();
    Intent intent{.wall = occurrence.nominal,
                  .zone = std::string{rule.zone().name()},
                  .gap = schedule.gap,
                  .overlap = schedule.overlap};
    switch (kind_of(schedule.trigger)) {
        case TriggerKind::yearly:
            break;
        case TriggerKind::cron:
        case TriggerKind::rrule:
            if (occurrence.second_pass) {
                intent.overlap = OverlapPolicy::later;
            } else if (schedule.overlap == OverlapPolicy::both) {
                intent.overlap = OverlapPolicy::earlier;
            }
            break;
        case TriggerKind::every:
            intent.wall.reset();
            break;
    }
    return intent;
}

}  // namespace

TimeResult<ScheduleRule> rule_of_schedule(const Schedule& schedule, const User* user,
                                          const TzData& zones) {
    return ScheduleRule::of(schedule, user, [&](std::string_view id) { return zones.find(id); });
}

Event plan_occurrence(const ScheduleRule& rule, const RuleOccurrence& occurrence, Ids& ids,
                      std::string_view tz_release, Instant now) {
    const Schedule& schedule = rule.schedule();
    const User* user = rule.user();
    const auto user_id = user ? std::optional{user->id} : std::nullopt;
    const Nominal nominal = rule.nominal_of(occurrence);
    const auto name = schedule.external_id.value_or(to_string(schedule.id));
    const IdempotencyKey key =
        ids.generated_key(name, user_id, identity_text(kind_of(schedule.trigger), nominal));
    Event event{.id = ids.event_id(key),
                .key = key,
                .type = schedule.event_type,
                .priority = schedule.priority,
                .user = user_id,
                .endpoint = schedule.endpoint,
                .occurrence = Occurrence{schedule.id, schedule.version, nominal},
                .intent = intent_of(rule, occurrence),
                .due = occurrence.instant,
                .jitter = rule.jitter_of(occurrence),
                .tz_release = std::string{tz_release},
                .payload = rendered_payload(schedule.payload, user, rule.zone(), nominal.date,
                                            occurrence.instant),
                .claimable_at = never,
                .retry_of = std::nullopt,
                .first_attempt_at = std::nullopt,
                .dismissed_at = std::nullopt,
                .created_at = now,
                .updated_at = now};
    if (schedule.enabled) event.claimable_at = target_of(event);
    return event;
}

std::string rendered_payload(std::string_view payload, const User* user, const Zone& zone,
                             Date nominal, Instant due) {
    const std::string local = format_local_millis(due, zone);
    return render(payload, user ? template_values(*user, nominal, local)
                                : template_values(zone.name(), local))
        .value_or(std::string{});
}

bool has_chain(Transaction& tx, ScheduleId schedule, const User* user) {
    return tx.events().has_live({.schedule = schedule,
                                 .user = user ? std::optional{user->id} : std::nullopt,
                                 .origin = Origin::rule});
}

bool has_successor(Transaction& tx, const Event& event) {
    return tx.events().has_live({.schedule = event.occurrence->schedule,
                                 .user = event.user,
                                 .origin = Origin::rule,
                                 .due_after = event.due});
}

}  // namespace sundial
