#include "application/plan_occurrence.hpp"

#include <chrono>
#include <string>

#include "application/payload_template.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

/// Whether `nominal` is the rule's date, wherever a leap policy of then or now puts it.
bool is_date_of(const YearlyRule& rule, Date nominal) {
    using namespace std::chrono;
    const month_day day = nominal.month() / nominal.day();
    if (rule.day != February / 29) return day == rule.day;
    return day == February / 28 || day == February / 29 || day == March / 1;
}

}  // namespace

std::optional<YearlyOccurrence> first_occurrence(const Schedule& schedule, const User& user,
                                                 const Zone& zone, Instant after) {
    const auto rule = rule_for(schedule, &user);
    return rule ? next_yearly(*rule, zone, after) : std::nullopt;
}

std::optional<YearlyOccurrence> next_occurrence(const Schedule& schedule, const User& user,
                                                const Zone& zone, const Event& fired) {
    const auto rule = rule_for(schedule, &user);
    if (!rule || !fired.occurrence) return std::nullopt;
    const Date handled = fired.occurrence->nominal.date;
    const auto is_later = [&](Date nominal) {
        return nominal > handled &&
               (nominal.year() > handled.year() || !is_date_of(*rule, handled));
    };
    auto next = next_yearly(*rule, zone, fired.due);
    while (next && !is_later(next->nominal)) next = next_yearly(*rule, zone, next->instant);
    return next;
}

Event plan_occurrence(const Schedule& schedule, const User& user, const Zone& zone,
                      const YearlyOccurrence& occurrence, Ids& ids, std::string_view tz_release,
                      Instant now) {
    const auto name = schedule.external_id.value_or(to_string(schedule.id));
    const IdempotencyKey key =
        ids.generated_key(name, user.id, identity_text(TriggerKind::yearly, occurrence.nominal));
    const auto values =
        template_values(user, occurrence.nominal, format_local_millis(occurrence.instant, zone));
    return {.id = ids.event_id(key),
            .key = key,
            .type = schedule.event_type,
            .priority = schedule.priority,
            .user = user.id,
            .endpoint = schedule.endpoint,
            .occurrence = Occurrence{schedule.id, schedule.version, occurrence.nominal},
            .intent = {.wall = occurrence.wall,
                       .zone = user.timezone,
                       .gap = schedule.gap,
                       .overlap = schedule.overlap},
            .due = occurrence.instant,
            .tz_release = std::string{tz_release},
            .payload = render(schedule.payload, values),
            .claimable_at = schedule.enabled ? occurrence.instant : never,
            .retry_of = std::nullopt,
            .first_attempt_at = std::nullopt,
            .dismissed_at = std::nullopt,
            .created_at = now,
            .updated_at = now};
}

}  // namespace sundial
