#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/json_members.hpp"
#include "application/schedules/schedule_fields.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"
#include "domain/time/types.hpp"

namespace sundial::http {
namespace {

/// The value with this name; empty if there is no name.
template <class Parse>
auto named(const Members& members, std::string_view name, Parse parse)
    -> decltype(parse(std::string_view{})) {
    const auto text = members.text(name);
    return text ? parse(*text) : std::nullopt;
}

RruleTrigger rrule_trigger(const Members& trigger) {
    if (trigger.is_text("rrule")) {
        return {.ical = trigger.text("rrule").value_or(""),
                .dtstart = {},
                .rrule = std::nullopt,
                .rdate = {},
                .exdate = {}};
    }
    const Members parts = trigger.object("rrule").value();
    return {.ical = {},
            .dtstart = parts.text("dtstart").value_or(""),
            .rrule = parts.text("rrule"),
            .rdate = parts.list("rdate"),
            .exdate = parts.list("exdate")};
}

TriggerFields trigger_fields(const Members& trigger) {
    TriggerFields fields;
    if (const auto yearly = trigger.object("yearly")) {
        fields.yearly = YearlyFields{yearly->text("on"), yearly->text("at")};
    }
    fields.cron = trigger.text("cron");
    fields.every = trigger.text("every");
    if (trigger.has("rrule")) fields.rrule = rrule_trigger(trigger);
    return fields;
}

void write_misfire(base::JsonWriter& json, const MisfireRule& rule) {
    json.member("misfire", to_string(rule.policy));
    json.member("window",
                rule.window ? std::optional(format_duration(*rule.window)) : std::nullopt);
    json.member("grace", format_duration(rule.grace)).member("limit", rule.limit);
}

}  // namespace

ScheduleFields schedule_fields(const JsonBody& body) {
    const Members members(body);
    ScheduleFields fields;
    fields.external_id = members.text("externalId");
    fields.event_type = members.text("eventType");
    fields.priority = named(members, "priority", parse_priority);
    fields.enabled = members.truth("enabled");
    fields.note = members.edit("note");
    if (const auto trigger = members.object("trigger")) fields.trigger = trigger_fields(*trigger);
    fields.per_user = members.truth("perUser");
    fields.timezone = members.edit("timezone");
    fields.endpoint = members.edit("endpointId");
    if (const auto bytes = body.raw_member("payload")) fields.payload = std::string(*bytes);
    fields.gap = named(members, "gap", gap_policy);
    fields.overlap = named(members, "overlap", overlap_policy);
    fields.leap = named(members, "leap", leap_policy);
    fields.misfire = named(members, "misfire", misfire_policy);
    fields.window = members.edit("window");
    fields.grace = members.text("grace");
    fields.limit = members.count("limit");
    fields.concurrency = named(members, "concurrency", parse_concurrency);
    fields.jitter = members.text("jitter");
    fields.starts_at = members.edit("startsAt");
    fields.ends_at = members.edit("endsAt");
    if (members.has("tags")) fields.tags = members.list("tags");
    fields.ping_url = members.edit("pingUrl");
    return fields;
}

std::string schedule_json(const ScheduleView& view, std::optional<OperationId> operation) {
    const Schedule& schedule = view.schedule;
    base::JsonWriter json;
    json.begin_object()
        .member("id", to_string(schedule.id))
        .member("externalId", schedule.external_id);
    json.member("eventType", schedule.event_type).member("priority", to_string(schedule.priority));
    json.member("enabled", schedule.enabled).member("note", schedule.note);
    json.key("tags").begin_array();
    for (const std::string& tag : schedule.tags) json.value(std::string_view{tag});
    json.end_array().member("pingUrl", schedule.ping_url);
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
    json.member("startsAt", format_instant_millis(schedule.starts_at))
        .member("endsAt", format_instant_millis(schedule.ends_at));
    json.member("nextAt", format_instant_millis(view.next_at))
        .member("description", describe(schedule));
    json.member("version", schedule.version.value);
    json.member("createdAt", format_instant_millis(schedule.created_at));
    json.member("updatedAt", format_instant_millis(schedule.updated_at));
    if (operation) json.member("operationId", to_string(*operation));
    return std::move(json.end_object()).text();
}

TriggerRequest trigger_request(const JsonBody& body) {
    const Members members(body);
    TriggerRequest request;
    request.user = members.text("userId");
    if (const auto bytes = body.raw_member("payload")) request.payload = std::string(*bytes);
    return request;
}

BackfillRequest backfill_request(const JsonBody& body) {
    const Members members(body);
    return {.from = members.text("from").value_or(""),
            .to = members.text("to").value_or(""),
            .dry_run = members.truth("dryRun").value_or(false)};
}

std::string backfill_json(const Backfill& backfill, const TimeZones& zones) {
    base::JsonWriter json;
    json.begin_object().member("occurrences", backfill.occurrences).key("samples").begin_array();
    for (const Backfill::Sample& sample : backfill.samples) {
        const auto zone = zones.find(sample.zone);
        json.begin_object()
            .member("userId", sample.user ? std::optional(to_string(*sample.user)) : std::nullopt)
            .member("targetTimestampUTC", format_instant_millis(sample.due))
            .member("targetTimestampLocal", zone ? format_local_millis(sample.due, **zone)
                                                 : format_instant_millis(sample.due))
            .member("targetTimezone", sample.zone)
            .end_object();
    }
    return std::move(json.end_array().end_object()).text();
}

}  // namespace sundial::http
