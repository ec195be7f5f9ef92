#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

std::string query_of(const EventFilter& filter, const PageOptions& page) {
    client::QueryText query;
    // As of an engine: dead letters are FAILED, whatever else is asked.
    if (filter.dead_letters) {
        query.add("status", "FAILED").add("dismissed", "false");
    } else {
        query.add_list("status", filter.statuses);
    }
    std::vector<std::string> priorities;
    for (const Priority one : filter.priorities) priorities.emplace_back(client::to_text(one));
    query.add_list("eventType", filter.types).add_list("priority", priorities);
    query.add("userId", filter.user_id);
    if (!filter.schedule.empty()) query.add("scheduleId", "ext:" + filter.schedule);
    query.add("endpointId", endpoint_of(filter.queue, {}));
    if (filter.due_from) query.add("targetFrom", client::to_rfc3339(*filter.due_from));
    if (filter.due_to) query.add("targetTo", client::to_rfc3339(*filter.due_to));
    return query.add_page(page, "targetTimestampUTC").text();
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
    client::add_text(json, "targetTimestampLocal", event.local_time);
    client::add_text(json, "targetTimezone", event.timezone);
    client::add_text(json, "userId", event.user_id);
    client::add_text(json, "endpointId", endpoint_of(event.queue, event.endpoint));
    client::add_text(json, "idempotencyKey", event.idempotency_key);
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
    const auto list = client::page_of(
        answer,
        {.id = filter.schedule, .user = filter.user_id, .endpoint = endpoint_of(filter.queue, {})});
    if (!list) return list.error();
    EventPage found{.events = {}, .next = list->next};
    list->items.for_each([&](const JsonView& one) { found.events.push_back(event_from(one)); });
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
    client::add_text(json, "targetTimestampLocal", change.local_time);
    client::add_text(json, "targetTimezone", change.timezone);
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
