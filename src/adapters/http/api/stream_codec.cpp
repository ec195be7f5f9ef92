#include <boost/json.hpp>
#include <optional>
#include <utility>

#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/json_members.hpp"
#include "application/streams/append_to_stream.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

namespace bj = boost::json;

/// If absent, any version is accepted.
std::optional<ExpectedVersion> expected_in(const JsonBody& body) {
    const bj::value* value = body.value().as_object().if_contains("expectedVersion");
    if (value == nullptr) return ExpectedVersion::any();
    if (value->is_string()) return ExpectedVersion::parse(std::string(value->get_string()));
    boost::system::error_code not_exact;
    const auto number = value->to_number<std::int64_t>(not_exact);
    return not_exact ? std::nullopt : ExpectedVersion::of(number);
}

/// Reads one event and collects its errors.
class EventReader {
public:
    EventReader(std::string_view text, std::string pointer, std::vector<FieldError>& errors)
        : body_(JsonBody::read(std::string(text)).value()),
          members_(body_),
          pointer_(std::move(pointer)),
          errors_(errors) {}

    [[nodiscard]] NewRecordedEvent read(Ids& ids) {
        const auto given = uuid("eventId");
        return {.event_id = given ? *given : ids.fresh(),
                .event_type = members_.text("eventType").value_or(""),
                .schema_version = members_.count("schemaVersion").value_or(1),
                .data = std::string(body_.raw_member("data").value_or("null")),
                .metadata = metadata(),
                .stream = std::nullopt};
    }

private:
    [[nodiscard]] std::optional<Uuid> uuid(std::string_view name) {
        const auto text = members_.text(name);
        if (!text) return std::nullopt;
        auto id = base::parse_uuid(*text);
        if (!id)
            errors_.push_back({pointer_ + "/" + std::string(name), "bad_format", "is not a UUID"});
        return id;
    }

    [[nodiscard]] EventMetadata metadata() {
        const auto raw = body_.raw_member("metadata");
        if (!raw) return {};
        const JsonBody body = JsonBody::read(std::string(*raw)).value();
        const Members members(body);
        const auto text = [&](std::string_view name) { return members.text(name).value_or(""); };
        return {.occurred_at = occurred_at(members),
                .correlation_id = text("correlationId"),
                .causation_id = text("causationId"),
                .actor = text("actor"),
                .tenant = text("tenant"),
                .traceparent = text("traceparent"),
                .headers = std::string(body.raw_member("headers").value_or(""))};
    }

    [[nodiscard]] std::optional<Instant> occurred_at(const Members& members) {
        const auto text = members.text("occurredAt");
        if (!text) return std::nullopt;
        const auto instant = parse_instant(*text);
        if (instant) return instant->instant;
        errors_.push_back({pointer_ + "/metadata/occurredAt", "bad_time", instant.error().message});
        return std::nullopt;
    }

    JsonBody body_;
    Members members_;
    std::string pointer_;
    std::vector<FieldError>& errors_;
};

void member_if_any(base::JsonWriter& json, std::string_view name, const std::string& text) {
    if (!text.empty()) json.member(name, std::string_view{text});
}

void write(base::JsonWriter& json, const EventMetadata& metadata) {
    json.begin_object();
    if (metadata.occurred_at) {
        json.member("occurredAt", format_instant_millis(*metadata.occurred_at));
    }
    member_if_any(json, "correlationId", metadata.correlation_id);
    member_if_any(json, "causationId", metadata.causation_id);
    member_if_any(json, "actor", metadata.actor);
    member_if_any(json, "tenant", metadata.tenant);
    member_if_any(json, "traceparent", metadata.traceparent);
    if (!metadata.headers.empty()) json.key("headers").raw(metadata.headers);
    json.end_object();
}

}  // namespace

base::Result<Append, Problem> append_in(const JsonBody& body, StreamId stream, Ids& ids) {
    std::vector<FieldError> errors;
    const auto expected = expected_in(body);
    if (!expected) {
        errors.push_back({"/expectedVersion", "out_of_range",
                          "must be a version, ANY (-1), NO_STREAM (0) or STREAM_EXISTS (-2)"});
    }
    Append append{.stream = std::move(stream),
                  .expected = expected.value_or(ExpectedVersion::any()),
                  .events = {}};
    const auto items = raw_items(body.raw_member("events").value_or("[]"));
    for (std::size_t i = 0; i < items.size(); ++i) {
        append.events.push_back(
            EventReader(items[i], "/events/" + std::to_string(i), errors).read(ids));
    }
    if (!errors.empty()) return validation_failed(std::move(errors));
    return append;
}

std::string appended_json(const Appended& appended) {
    base::JsonWriter json;
    json.begin_object().member("firstVersion", appended.first_version);
    json.member("lastVersion", appended.last_version);
    json.member("firstPosition", appended.first_position);
    json.member("lastPosition", appended.last_position);
    json.member("currentVersion", appended.current_version);
    json.member("replayed", appended.replayed);
    return std::move(json.end_object()).text();
}

RecordedEvent readable_by(Role role, RecordedEvent event) {
    if (role == Role::admin || event.stream.aggregate_type != own_stream::api_key) return event;
    bj::error_code failure;
    bj::value data = bj::parse(event.data, failure);
    if (failure || !data.is_object()) return event;  // erased
    data.get_object().stable_erase("name");
    event.data = bj::serialize(data);
    return event;
}

std::string recorded_event_json(const RecordedEvent& event, bool stream_deleted) {
    base::JsonWriter json;
    json.begin_object().member("eventId", base::to_string(event.event_id));
    json.member("aggregateType", event.stream.aggregate_type);
    json.member("aggregateId", event.stream.aggregate_id);
    json.member("version", event.version.value).member("position", event.position);
    json.member("eventType", event.event_type).member("schemaVersion", event.schema_version);
    json.key("data").raw(event.data.empty() ? std::string_view{"null"} : event.data);
    json.key("metadata");
    write(json, event.metadata);
    json.member("recordedAt", format_instant_millis(event.recorded_at));
    if (event.redacted_at) {
        json.member("redactedAt", format_instant_millis(*event.redacted_at));
    }
    json.member("deleted", stream_deleted);
    return std::move(json.end_object()).text();
}

void write_stream(base::JsonWriter& json, const StreamId& stream, const StreamHead& head) {
    json.member("aggregateType", stream.aggregate_type);
    json.member("aggregateId", stream.aggregate_id);
    json.member("version", head.version).member("truncatedBefore", head.truncated_before);
    json.member("archived", head.archived).member("deleted", head.deleted);
}

Snapshot snapshot_in(const JsonBody& body) {
    const bj::object& object = body.value().as_object();
    return {.version = object.at("version").to_number<std::uint64_t>(),
            .schema_version = Members(body).count("schemaVersion").value_or(1),
            .state = std::string(body.raw_member("state").value_or("null"))};
}

std::string snapshot_json(const Snapshot& snapshot) {
    base::JsonWriter json;
    json.begin_object().member("version", snapshot.version);
    json.member("schemaVersion", snapshot.schema_version);
    json.key("state").raw(snapshot.state);
    return std::move(json.end_object()).text();
}

/// JSON is stored byte for byte and may have several lines. Each line becomes a `data` field, and
/// the client joins them.
std::string sent_event(std::uint64_t id, std::string_view json) {
    std::string text = "id: " + std::to_string(id) + "\ndata: ";
    for (std::size_t i = 0; i < json.size(); ++i) {
        const bool pair = json[i] == '\r' && i + 1 < json.size() && json[i + 1] == '\n';
        if (pair) continue;
        if (json[i] == '\n' || json[i] == '\r') {
            text += "\ndata: ";
        } else {
            text += json[i];
        }
    }
    return text + "\n\n";
}

base::Result<CheckpointStep, Problem> checkpoint_step_in(const JsonBody& body) {
    const Members members(body);
    CheckpointStep step{.position = members.number("position").value_or(0),
                        .event_id = std::nullopt,
                        .previous = members.number("previous").value_or(0),
                        .fencing_token = members.number("fencingToken").value_or(0)};
    const auto event_id = members.text("eventId");
    if (!event_id) return step;
    step.event_id = base::parse_uuid(*event_id);
    if (!step.event_id) return validation_failed({{"/eventId", "bad_format", "is not a UUID"}});
    return step;
}

std::string checkpoint_json(const std::string& name, const Checkpoint& checkpoint) {
    base::JsonWriter json;
    json.begin_object().member("name", name).member("position", checkpoint.position);
    std::optional<std::string> event_id, holder;
    if (checkpoint.event_id) event_id = base::to_string(*checkpoint.event_id);
    if (!checkpoint.holder.empty()) holder = checkpoint.holder;
    json.member("eventId", event_id).member("fencingToken", checkpoint.fencing_token);
    json.member("holder", holder);
    return std::move(json.end_object()).text();
}

}  // namespace sundial::http
