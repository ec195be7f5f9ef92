#include <boost/json.hpp>

#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/problems.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"
#include "domain/time/types.hpp"
#include "domain/trace_context.hpp"

namespace sundial::http {
namespace {

constexpr std::string_view payload_member = "deliveryPayload";

std::optional<Priority> priority_in(const Members& members) {
    const auto name = members.text("priority");
    return name ? parse_priority(*name) : std::nullopt;
}

std::optional<std::string> payload_in(const JsonBody& body) {
    const auto bytes = body.raw_member(payload_member);
    return bytes ? std::optional(std::string(*bytes)) : std::nullopt;
}

template <class Tag>
std::optional<std::string> text_of(const std::optional<Strong<Tag, Uuid>>& id) {
    return id ? std::optional(to_string(*id)) : std::nullopt;
}

std::optional<std::string> text_of(const std::optional<Claimant>& claimant) {
    return claimant ? std::optional(to_string(*claimant)) : std::nullopt;
}

std::optional<std::string> text_of(std::optional<WaitReason> reason) {
    return reason ? std::optional<std::string>(to_string(*reason)) : std::nullopt;
}

/// The members of an event that depend on its state.
struct StateMembers {
    std::optional<Instant> executed_at, next_attempt_at, lease_expires_at;
    std::optional<Claimant> claimed_by;
    std::optional<std::string> failure_reason;
};

StateMembers state_members(const Event& event) {
    StateMembers members;
    if (const auto* processing = std::get_if<Processing>(&event.state)) {
        members.claimed_by = processing->claimed_by;
        if (processing->claimed_by) {
            members.lease_expires_at = event.claimable_at;
        } else if (event.claimable_at != never) {
            members.next_attempt_at = event.claimable_at;
        }
    } else if (const auto* completed = std::get_if<Completed>(&event.state)) {
        members.executed_at = completed->at;
    } else if (const auto* failed = std::get_if<Failed>(&event.state)) {
        members.executed_at = failed->at;
        members.failure_reason = failed->reason;
    } else if (const auto* cancelled = std::get_if<Cancelled>(&event.state)) {
        members.failure_reason = cancelled->reason;
    }
    return members;
}

/// In the local time of the event's zone; in UTC if a newer tz database lacks the zone. Without an
/// offset as long as the instant is not known.
std::string target_local(const Event& event, const TimeZones& zones) {
    if (!has_instant(event)) return format_wall(*event.intent.wall);
    const auto zone = zones.find(event.intent.zone);
    return zone ? format_local_millis(event.due, **zone) : format_instant_millis(event.due);
}

NewEvent event_of(const Members& members, std::optional<std::string_view> payload) {
    return {.event_type = members.text("eventType").value_or(""),
            .priority = priority_in(members).value_or(Priority::normal),
            .user = members.text("userId"),
            .endpoint = members.text("endpointId"),
            .target = target_fields(members),
            .payload = std::string(payload.value_or("")),
            .idempotency_key = members.text("idempotencyKey")};
}

}  // namespace

TargetFields target_fields(const Members& members) {
    TargetFields target{.utc = members.text("targetTimestampUTC"),
                        .local = members.text("targetTimestampLocal"),
                        .zone = members.text("targetTimezone"),
                        .gap = std::nullopt,
                        .overlap = std::nullopt};
    if (const auto name = members.text("gap")) target.gap = gap_policy(*name);
    if (const auto name = members.text("overlap")) target.overlap = overlap_policy(*name);
    return target;
}

NewEvent new_event(const JsonBody& body) {
    return event_of(Members(body), body.raw_member(payload_member));
}

std::vector<base::Result<NewEvent, Problem>> new_events(const Request& batch) {
    const auto texts = raw_items(batch.json->raw_member("events").value_or("[]"));
    const auto& items = batch.json->value().as_object().at("events").as_array();
    std::vector<base::Result<NewEvent, Problem>> events;
    events.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (const auto refused = batch.refused_items.find(i);
            refused != batch.refused_items.end()) {
            events.emplace_back(validation_failed(refused->second));
            continue;
        }
        const auto payload = raw_member(texts[i], payload_member);
        if (auto problem = payload_too_large(payload, payload_member)) {
            events.emplace_back(*std::move(problem));
        } else {
            events.emplace_back(event_of(Members(items[i].as_object()), payload));
        }
    }
    return events;
}

EventEdit event_edit(const JsonBody& body) {
    const Members members(body);
    return {.target = target_fields(members),
            .payload = payload_in(body),
            .endpoint = members.edit("endpointId"),
            .priority = priority_in(members),
            .dismissed = members.truth("dismissed"),
            .note = members.text("note")};
}

std::string event_json(const Event& event, const TimeZones& zones) {
    const StateMembers state = state_members(event);
    const auto schedule =
        event.occurrence ? std::optional(event.occurrence->schedule) : std::nullopt;
    const auto late = lateness(event);
    base::JsonWriter json;
    json.begin_object().member("id", to_string(event.id)).member("eventType", event.type);
    json.member("status", to_string(status_of(event)))
        .member("priority", to_string(event.priority));
    json.member("userId", text_of(event.user)).member("scheduleId", text_of(schedule));
    json.member("endpointId", text_of(event.endpoint));
    json.member(
        "targetTimestampUTC",
        format_instant_millis(has_instant(event) ? std::optional{event.due} : std::nullopt));
    json.member("targetTimestampLocal", target_local(event, zones))
        .member("targetTimezone", event.intent.zone);
    json.member("executedAt", format_instant_millis(state.executed_at))
        .member("failureReason", state.failure_reason);
    json.member("attempt", event.attempt.value).member("retryCount", event.retry_count);
    json.member("nextAttemptAt", format_instant_millis(state.next_attempt_at))
        .member("lateExecution", late_execution(event));
    json.member("latenessMs",
                late ? std::optional(std::chrono::floor<std::chrono::milliseconds>(*late).count())
                     : std::nullopt);
    json.member("version", event.version.value).member("idempotencyKey", event.key.value);
    json.key(payload_member).raw(event.payload.empty() ? std::string_view{"null"} : event.payload);
    json.member("retryOf", text_of(event.retry_of))
        .member("dismissedAt", format_instant_millis(event.dismissed_at))
        .member("dismissalNote", event.dismissal_note)
        .member("dismissedBy", event.dismissed_by);
    json.member("claimedBy", text_of(state.claimed_by))
        .member("leaseExpiresAt", format_instant_millis(state.lease_expires_at));
    json.member("waitingFor", text_of(waiting_for(event)));
    json.member("traceparent",
                event.trace ? std::optional(traceparent(*event.trace)) : std::nullopt);
    json.member("createdAt", format_instant_millis(event.created_at));
    json.member("updatedAt", format_instant_millis(event.updated_at));
    return std::move(json.end_object()).text();
}

namespace {

struct Write {
    base::JsonWriter& json;
    void operator()(std::nullptr_t) const { json.null(); }
    void operator()(std::int64_t number) const { json.value(number); }
    void operator()(const std::string& text) const { json.value(std::string_view{text}); }
};

}  // namespace

std::string explanation_json(const Explanation& explanation) {
    const Event& event = explanation.event;
    base::JsonWriter json;
    json.begin_object().member("eventId", to_string(event.id));
    json.member("status", to_string(status_of(event))).member("summary", explanation.summary);
    json.key("steps").begin_array();
    for (const ExplainedStep& step : explanation.steps) {
        json.begin_object().member("step", step.step).member("text", step.text);
        for (const auto& [name, value] : step.members) {
            json.key(name);
            std::visit(Write{json}, value);
        }
        json.end_object();
    }
    json.end_array().key("waitsFor");
    if (const auto& wait = explanation.wait) {
        json.begin_object().member("what", wait->what).member("text", wait->text);
        json.member("until", format_instant_millis(wait->until));
        json.end_object();
    } else {
        json.null();
    }
    return std::move(json.end_object()).text();
}

}  // namespace sundial::http
