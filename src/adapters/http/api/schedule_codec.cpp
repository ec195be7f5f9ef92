#include "adapters/http/api/schedule_codec.hpp"

#include "adapters/http/api/json_members.hpp"
#include "application/trigger_json.hpp"
#include "base/json_writer.hpp"
#include "domain/time/policies.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

void write_misfire(base::JsonWriter& json, const MisfireRule& rule) {
    json.member("misfire", to_string(rule.policy));
    json.member("window",
                rule.window ? std::optional(format_duration(*rule.window)) : std::nullopt);
    json.member("grace", format_duration(rule.grace)).member("limit", rule.limit);
}

}  // namespace

ScheduleEdit schedule_edit(const JsonBody& body) {
    const Members members(body);
    ScheduleEdit edit;
    edit.endpoint = members.edit("endpointId");
    if (const auto trigger = members.object("trigger"))
        edit.at = trigger->object("yearly")->text("at");
    if (const auto name = members.text("leap")) edit.leap = leap_policy(*name);
    if (const auto bytes = body.raw_member("payload")) edit.payload = std::string(*bytes);
    edit.enabled = members.truth("enabled");
    edit.note = members.edit("note");
    return edit;
}

std::string schedule_json(const ScheduleView& view, std::optional<std::size_t> changed_events) {
    const Schedule& schedule = view.schedule;
    const auto moment = [](const std::optional<Instant>& instant) {
        return instant ? std::optional(format_instant_millis(*instant)) : std::nullopt;
    };
    base::JsonWriter json;
    json.begin_object()
        .member("id", to_string(schedule.id))
        .member("externalId", schedule.external_id);
    json.member("eventType", schedule.event_type).member("priority", to_string(schedule.priority));
    json.member("enabled", schedule.enabled).member("note", schedule.note);
    json.key("trigger").raw(trigger_json(schedule.trigger));
    json.member("perUser", schedule.per_user).member("timezone", schedule.timezone);
    json.member("endpointId",
                schedule.endpoint ? std::optional(to_string(*schedule.endpoint)) : std::nullopt);
    json.key("payload").raw(schedule.payload);
    json.member("gap", to_string(schedule.gap)).member("overlap", to_string(schedule.overlap));
    json.member("leap", to_string(schedule.leap));
    write_misfire(json, schedule.misfire);
    json.member("concurrency", to_string(schedule.concurrency));
    json.member("jitter", format_duration(schedule.jitter));
    json.member("startsAt", moment(schedule.starts_at)).member("endsAt", moment(schedule.ends_at));
    json.member("nextAt", moment(view.next_at)).member("description", describe(schedule));
    json.member("version", schedule.version.value);
    json.member("createdAt", format_instant_millis(schedule.created_at));
    json.member("updatedAt", format_instant_millis(schedule.updated_at));
    if (changed_events)
        json.key("reschedule")
            .begin_object()
            .member("rescheduledCount", *changed_events)
            .end_object();
    return std::move(json.end_object()).text();
}

}  // namespace sundial::http
