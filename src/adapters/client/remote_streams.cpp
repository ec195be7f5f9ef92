#include <algorithm>
#include <cstddef>
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

constexpr std::size_t largest_page = 500;
constexpr std::uint64_t greatest_version = (std::uint64_t{1} << 53U) - 1;  // of JSON's numbers

std::string path_of_stream(const StreamId& stream) {
    return "/v1/streams/" + client::encoded(stream.type) + '/' + client::encoded(stream.id);
}

void add_metadata(base::JsonWriter& json, const EventMetadata& metadata) {
    const auto add = [&json](std::string_view name, const std::string& text) {
        if (!text.empty()) json.member(name, std::string_view{text});
    };
    json.key("metadata").begin_object();
    if (metadata.occurred_at) json.member("occurredAt", client::to_rfc3339(*metadata.occurred_at));
    add("correlationId", metadata.correlation_id);
    add("causationId", metadata.causation_id);
    add("actor", metadata.actor);
    add("tenant", metadata.tenant);
    add("traceparent", metadata.traceparent);
    if (!metadata.headers.empty()) json.key("headers").raw(metadata.headers);
    json.end_object();
}

/// The field whose text is not one JSON value, and could end its member early; else empty.
std::string defect_of_events(const std::vector<NewRecordedEvent>& events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
        const std::string field = "events." + std::to_string(i);
        if (!JsonView::parse(events[i].data)) return field + ".data";
        const std::string& headers = events[i].metadata.headers;
        if (!headers.empty() && !JsonView::parse(headers)) return field + ".metadata.headers";
    }
    return {};
}

std::string append_body(Expected expected, const std::vector<NewRecordedEvent>& events) {
    base::JsonWriter json;
    json.begin_object().member("expectedVersion", expected.number());
    json.key("events").begin_array();
    for (const NewRecordedEvent& event : events) {
        json.begin_object().member("eventType", std::string_view{event.type});
        if (!event.id.empty()) json.member("eventId", std::string_view{event.id});
        json.member("schemaVersion", event.schema_version);
        json.key("data").raw(event.data);
        add_metadata(json, event.metadata);
        json.end_object();
    }
    json.end_array().end_object();
    return json.text();
}

EventMetadata metadata_from(const JsonView& json) {
    EventMetadata metadata{.occurred_at = client::instant_of(json, "occurredAt"),
                           .correlation_id = json.text_of("correlationId"),
                           .causation_id = json.text_of("causationId"),
                           .actor = json.text_of("actor"),
                           .tenant = json.text_of("tenant"),
                           .traceparent = json.text_of("traceparent")};
    if (const auto headers = json.member("headers")) metadata.headers = headers->raw();
    return metadata;
}

RecordedEvent recorded_from(const JsonView& json, const StreamId& stream) {
    RecordedEvent event{.stream = stream,
                        .version = json.number_of("version"),
                        .position = json.number_of("position")};
    event.id = json.text_of("eventId");
    event.type = json.text_of("eventType");
    event.schema_version = static_cast<std::uint32_t>(json.number_of("schemaVersion"));
    if (const auto data = json.member("data")) event.data = data->raw();
    if (const auto metadata = json.member("metadata")) event.metadata = metadata_from(*metadata);
    event.recorded_at = client::instant_of(json, "recordedAt").value_or(Instant{});
    event.redacted = json.member("redactedAt").has_value();
    return event;
}

std::string query_of_range(const StreamRange& range, std::size_t left) {
    return "?fromVersion=" + std::to_string(range.from) +
           "&toVersion=" + std::to_string(std::min(range.to, greatest_version)) +
           "&direction=" + (range.backward ? "backward" : "forward") +
           "&limit=" + std::to_string(std::min(left, largest_page));
}

}  // namespace

Result<Appended> RemoteStreams::append(const StreamId& stream, Expected expected,
                                       const std::vector<NewRecordedEvent>& events,
                                       const std::string& request_key) const {
    if (const auto field = defect_of_events(events); !field.empty()) {
        return client::refused_field(field, "must be JSON");
    }
    const auto answer = client_.call({.method = "POST",
                                      .path = path_of_stream(stream),
                                      .body = append_body(expected, events),
                                      .idempotency_key = request_key});
    const auto json = client::object_of(answer);
    if (!json) return client::completed(json.error(), {.id = stream.id});
    if (!json->member("lastVersion")) {
        return Error{"HTTP_ERROR", "the server's answer is not that to an append", {}};
    }
    return Appended{.first_version = json->number_of("firstVersion"),
                    .last_version = json->number_of("lastVersion"),
                    .first_position = json->number_of("firstPosition"),
                    .last_position = json->number_of("lastPosition"),
                    .current_version = json->number_of("currentVersion"),
                    .replayed = json->is_true("replayed")};
}

Result<StreamPart> RemoteStreams::read(const StreamId& stream, const StreamRange& range) const {
    constexpr std::size_t most_events = 10'000;
    if (range.limit < 1 || range.limit > most_events) {
        return client::refused_field("limit", "must be 1 to 10000");
    }
    StreamPart part;
    StreamRange rest = range;
    bool more = true;
    while (more && part.events.size() < range.limit && rest.from <= rest.to) {
        const auto answer =
            client_.call({.path = path_of_stream(stream) +
                                  query_of_range(rest, range.limit - part.events.size())});
        if (!answer && answer.error().code == "AGGREGATE_NOT_FOUND") return part;
        const auto json = client::object_of(answer);
        if (!json) return client::completed(json.error(), {.id = stream.id});
        const auto data = json->member("data");
        if (!data || !data->is_array()) {
            return Error{"HTTP_ERROR", "the server's answer is not a stream", {}};
        }
        part.version = json->number_of("version");
        part.truncated_before = json->number_of("truncatedBefore");
        part.archived = json->is_true("archived");
        const std::size_t before = part.events.size();
        data->for_each(
            [&](const JsonView& one) { part.events.push_back(recorded_from(one, stream)); });
        more = json->is_true("hasMore") && part.events.size() > before;
        if (!more) break;
        const std::uint64_t last = part.events.back().version;
        if (range.backward && last <= 1) break;
        if (range.backward) {
            rest.to = last - 1;
        } else {
            rest.from = last + 1;
        }
    }
    return part;
}

}  // namespace sundial
