#include "application/schedules/plan_occurrence.hpp"

#include "application/schedules/payload_template.hpp"
#include "domain/time/text.hpp"

namespace sundial {
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

bool goes_on_after(Transaction& tx, const Event& event) {
    return tx.events().has_live({.schedule = event.occurrence->schedule,
                                 .user = event.user,
                                 .origin = Origin::rule,
                                 .due_after = event.due});
}

}  // namespace sundial
