#include "application/audit/action_audit.hpp"

#include <string_view>
#include <utility>

#include "application/streams/append_to_stream.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using base::JsonWriter;

void append_entry(Transaction& tx, StreamId stream, std::string type, std::string data,
                  const ChangedBy& by) {
    const StreamHead head = tx.streams().lock(stream);
    const RecordedEvent entry{
        .stream = std::move(stream),
        .version = Version{head.version + 1},
        .event_id = *by.entry,
        .event_type = std::move(type),
        .data = std::move(data),
        .metadata = {.correlation_id = by.caller.correlation_id, .actor = by.caller.actor}};
    tx.streams().append({&entry, 1});
}

void append_to_event(Transaction& tx, const Event& event, std::string type, std::string data,
                     const ChangedBy& by) {
    append_entry(tx, {own_stream::event_audit, to_string(event.id)}, std::move(type),
                 std::move(data), by);
}

const char* entry_type(EndpointAction action) {
    switch (action) {
        case EndpointAction::close_circuit:
            return "CircuitClosed";
        case EndpointAction::retry_waiting:
            return "WaitingRetried";
        case EndpointAction::test:
            return "EndpointTested";
    }
    return "";
}

std::optional<std::string> local_time(const Event& event) {
    if (!event.intent.wall) return std::nullopt;
    return format_wall(*event.intent.wall);
}

/// The members of `shown` that differ from `other`, under the names of the API.
std::string differing_members(const Event& shown, const Event& other) {
    JsonWriter json;
    json.begin_object();
    if (shown.due != other.due || shown.intent != other.intent) {
        json.member("targetTimestampUTC", std::string_view{format_instant(shown.due)});
        json.member("targetTimestampLocal", local_time(shown));
        json.member("targetTimezone", std::string_view{shown.intent.zone});
    }
    if (shown.endpoint != other.endpoint) {
        json.member("endpointId",
                    shown.endpoint ? std::optional{to_string(*shown.endpoint)} : std::nullopt);
    }
    if (shown.priority != other.priority) json.member("priority", to_string(shown.priority));
    return std::move(json.end_object()).text();
}

}  // namespace

void record_cancelled(Transaction& tx, const Event& event, const ChangedBy& by) {
    if (!by.entry) return;
    JsonWriter json;
    json.begin_object().member("status", to_string(status_of(event))).end_object();
    append_to_event(tx, event, "EventCancelled", std::move(json).text(), by);
}

void record_changed(Transaction& tx, const Event& before, const Event& after, const ChangedBy& by) {
    if (!by.entry) return;
    JsonWriter json;
    json.begin_object().key("before").raw(differing_members(before, after));
    json.key("after").raw(differing_members(after, before));
    json.member("payloadChanged", before.payload != after.payload).end_object();
    append_to_event(tx, after, "EventChanged", std::move(json).text(), by);
}

void record_dismissed(Transaction& tx, const Event& after, const ChangedBy& by) {
    if (!by.entry) return;
    append_to_event(tx, after, after.dismissed_at ? "EventDismissed" : "EventRestored", "{}", by);
}

void record_retried(Transaction& tx, const Event& event, const Event& again, const ChangedBy& by) {
    if (!by.entry) return;
    JsonWriter json;
    json.begin_object().member("retryId", to_string(again.id));
    json.member("newKey", again.key != event.key).end_object();
    append_to_event(tx, event, "EventRetried", std::move(json).text(), by);
}

void record_triggered(Transaction& tx, const Event& event, const ChangedBy& by) {
    if (!by.entry) return;
    JsonWriter json;
    json.begin_object();
    if (event.occurrence) json.member("scheduleId", to_string(event.occurrence->schedule));
    append_to_event(tx, event, "EventTriggered", std::move(json.end_object()).text(), by);
}

void record_operation(Transaction& tx, const Operation& operation, std::string what,
                      std::string data, const ChangedBy& by) {
    if (!by.entry) return;
    append_entry(tx, {own_stream::operation_audit, to_string(operation.id)}, std::move(what),
                 std::move(data), by);
}

void record_on_endpoint(Transaction& tx, EndpointId endpoint, EndpointAction action,
                        const ChangedBy& by) {
    if (!by.entry) return;
    append_entry(tx, {own_stream::endpoint_audit, to_string(endpoint)}, entry_type(action), "{}",
                 by);
}

void record_drain(Transaction& tx, const InstanceReport& instance, const ChangedBy& by) {
    if (!by.entry) return;
    JsonWriter json;
    json.begin_object().member("instanceId", to_string(instance.id));
    json.member("leasesHeld", instance.held).end_object();
    append_entry(tx, {own_stream::instance_audit, "all"}, "DrainRequested", std::move(json).text(),
                 by);
}

}  // namespace sundial
