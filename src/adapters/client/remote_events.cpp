#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/client/json_view.hpp"
#include "adapters/client/wire.hpp"
#include "base/json.hpp"
#include "sundial/remote.hpp"

namespace sundial {
namespace {

using client::JsonView;

Event event_from(const JsonView& json) {
    Event event;
    event.id = json.text_of("id");
    event.type = json.text_of("eventType");
    event.status = json.text_of("status");
    if (const auto payload = json.member("deliveryPayload")) {
        event.payload = payload->raw();
    } else {
        event.payload = "null";
    }
    event.idempotency_key = json.text_of("idempotencyKey");
    event.user_id = json.text_of("userId");
    event.due = client::instant_of(json, "targetTimestampUTC").value_or(embedding::no_instant);
    event.attempt = static_cast<std::uint32_t>(json.number_of("attempt"));
    event.failure_reason = json.text_of("failureReason");
    event.version = json.number_of("version");
    event.priority = client::priority_of(json.text_of("priority"));
    event.retry_count = static_cast<std::uint32_t>(json.number_of("retryCount"));
    event.waiting_for = json.text_of("waitingFor");
    event.next_attempt = client::instant_of(json, "nextAttemptAt");
    event.traceparent = json.text_of("traceparent");
    return event;
}

Result<Event> event_of(const Result<ClientAnswer>& answer, const client::Asked& asked) {
    const auto json = client::object_of(answer);
    if (!json) return client::completed(json.error(), asked);
    if (json->text_of("id").empty()) {
        return Error{"HTTP_ERROR", "the server's answer is not an event", {}};
    }
    return event_from(*json);
}

/// The endpoint of an event or of a filter; empty: none.
std::string endpoint_of(const std::string& queue, const std::string& endpoint) {
    return queue.empty() ? endpoint : "ext:" + queue;
}

std::string path_of_event(const std::string& id) { return "/v1/events/" + client::encoded(id); }

void add_text(base::JsonWriter& json, std::string_view name, const std::string& text) {
    if (!text.empty()) json.member(name, std::string_view{text});
}

/// Appends "name=value" to a query for each value.
void add_parameter(std::string& query, std::string_view name, std::string_view value) {
    if (value.empty()) return;
    query += query.empty() ? '?' : '&';
    query += std::string{name} + '=' + client::encoded(value);
}

std::string query_of(const EventFilter& filter, const PageOptions& page) {
    std::string query;
    // As of an engine: dead letters are FAILED, whatever else is asked.
    if (filter.dead_letters) {
        add_parameter(query, "status", "FAILED");
        add_parameter(query, "dismissed", "false");
    } else {
        for (const auto& status : filter.statuses) add_parameter(query, "status", status);
    }
    for (const auto& type : filter.types) add_parameter(query, "eventType", type);
    for (const Priority one : filter.priorities) {
        add_parameter(query, "priority", client::to_text(one));
    }
    add_parameter(query, "userId", filter.user_id);
    if (!filter.schedule.empty()) add_parameter(query, "scheduleId", "ext:" + filter.schedule);
    add_parameter(query, "endpointId", endpoint_of(filter.queue, {}));
    if (filter.due_from) add_parameter(query, "targetFrom", client::to_rfc3339(*filter.due_from));
    if (filter.due_to) add_parameter(query, "targetTo", client::to_rfc3339(*filter.due_to));
    if (page.latest_first) add_parameter(query, "sort", "-targetTimestampUTC");
    add_parameter(query, "limit", std::to_string(page.limit));
    add_parameter(query, "cursor", page.after);
    return query;
}

}  // namespace

Result<Event> RemoteEvents::create(const NewEvent& event, const std::string& request_key) const {
    if (!JsonView::parse(event.payload)) return client::refused_field("payload", "must be JSON");
    if (!event.queue.empty() && !event.endpoint.empty()) {
        return client::refused_field("queue", "cannot be given together with endpoint");
    }
    base::JsonWriter json;
    json.begin_object();
    json.member("eventType", std::string_view{event.type});
    if (event.at) json.member("targetTimestampUTC", client::to_rfc3339(*event.at));
    add_text(json, "targetTimestampLocal", event.local_time);
    add_text(json, "targetTimezone", event.timezone);
    add_text(json, "userId", event.user_id);
    add_text(json, "endpointId", endpoint_of(event.queue, event.endpoint));
    add_text(json, "idempotencyKey", event.idempotency_key);
    json.member("priority", client::to_text(event.priority));
    json.key("deliveryPayload").raw(event.payload);
    json.end_object();
    ClientRequest request{.method = "POST",
                          .path = "/v1/events",
                          .body = json.text(),
                          .idempotency_key = request_key};
    if (!event.traceparent.empty()) request.headers = {"traceparent: " + event.traceparent};
    return event_of(client_.call(request), {.id = event.idempotency_key,
                                            .user = event.user_id,
                                            .endpoint = endpoint_of(event.queue, event.endpoint)});
}

Result<Event> RemoteEvents::get(const std::string& id) const {
    return event_of(client_.call({.path = path_of_event(id)}), {.id = id});
}

Result<EventPage> RemoteEvents::list(const EventFilter& filter, const PageOptions& page) const {
    const auto answer = client_.call({.path = "/v1/events" + query_of(filter, page)});
    const auto json = client::object_of(answer);
    if (!json) {
        return client::completed(json.error(), {.id = filter.schedule,
                                                .user = filter.user_id,
                                                .endpoint = endpoint_of(filter.queue, {})});
    }
    const auto data = json->member("data");
    if (!data || !data->is_array()) {
        return Error{"HTTP_ERROR", "the server's answer is not a page of events", {}};
    }
    EventPage found;
    data->for_each([&](const JsonView& one) { found.events.push_back(event_from(one)); });
    if (json->is_true("hasMore")) found.next = json->text_of("nextCursor");
    return found;
}

Result<Event> RemoteEvents::update(const std::string& id, const EventChange& change,
                                   std::uint64_t version) const {
    if (change.payload && !JsonView::parse(*change.payload)) {
        return client::refused_field("payload", "must be JSON");
    }
    base::JsonWriter json;
    json.begin_object();
    if (change.at) json.member("targetTimestampUTC", client::to_rfc3339(*change.at));
    add_text(json, "targetTimestampLocal", change.local_time);
    add_text(json, "targetTimezone", change.timezone);
    if (change.priority) json.member("priority", client::to_text(*change.priority));
    if (change.payload) json.key("deliveryPayload").raw(*change.payload);
    json.end_object();
    return event_of(client_.call({.method = "PATCH",
                                  .path = path_of_event(id),
                                  .body = json.text(),
                                  .if_match = client::if_match_of(version)}),
                    {.id = id});
}

Result<Event> RemoteEvents::reschedule(const std::string& id, Instant at,
                                       std::uint64_t version) const {
    return update(id, {.at = at}, version);
}

Result<Event> RemoteEvents::cancel(const std::string& id, std::uint64_t version) const {
    return event_of(client_.call({.method = "DELETE",
                                  .path = path_of_event(id),
                                  .if_match = client::if_match_of(version)}),
                    {.id = id});
}

Result<Event> RemoteEvents::retry(const std::string& id, const std::string& request_key) const {
    return event_of(client_.call({.method = "POST",
                                  .path = path_of_event(id) + "/retry",
                                  .idempotency_key = request_key}),
                    {.id = id});
}

}  // namespace sundial
