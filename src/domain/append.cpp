#include "domain/append.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/json.hpp"
#include "base/text.hpp"
#include "domain/enum_names.hpp"

namespace sundial {
namespace {

constexpr std::size_t max_type_bytes = 128;
constexpr std::size_t max_id_bytes = 255;

bool is_aggregate_id(std::string_view text) {
    const auto is_control = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    };
    return !text.empty() && text.size() <= max_id_bytes && base::count_code_points(text) &&
           std::ranges::none_of(text, is_control);
}

void judge_type(std::vector<FieldError>& errors, const std::string& pointer,
                std::string_view type) {
    if (is_type_name(type)) return;
    errors.push_back({pointer, "bad_format", "must be 1 to 128 of A-Z a-z 0-9 _ . -"});
}

std::size_t size_of(const EventMetadata& metadata) {
    return metadata.correlation_id.size() + metadata.causation_id.size() + metadata.actor.size() +
           metadata.tenant.size() + metadata.traceparent.size() + metadata.headers.size();
}

std::vector<FieldError> defects(const NewRecordedEvent& event, const StreamId& stream,
                                const std::string& at) {
    std::vector<FieldError> errors;
    judge_type(errors, at + "/eventType", event.event_type);
    if (!base::canonical_json(event.data)) {
        errors.push_back({at + "/data", "bad_format", "is not JSON"});
    }
    const std::string& headers = event.metadata.headers;
    if (!headers.empty() && (headers.front() != '{' || !base::canonical_json(headers))) {
        errors.push_back({at + "/metadata/headers", "bad_format", "is not a JSON object"});
    }
    if (auto error = refuse_schema_version(at + "/schemaVersion", event.schema_version)) {
        errors.push_back(*std::move(error));
    }
    if (event.metadata.occurred_at && !in_range(*event.metadata.occurred_at)) {
        errors.push_back(
            {at + "/metadata/occurredAt", "out_of_range", "must be in the years 0001 to 9999"});
    }
    if (event.stream && *event.stream != stream) {
        errors.push_back({at + "/stream", "not_allowed",
                          "belongs to " + event.stream->aggregate_type + "/" +
                              event.stream->aggregate_id + ", not to this stream"});
    }
    return errors;
}

std::vector<EventIdConflict> named_twice(std::span<const NewRecordedEvent> events) {
    std::unordered_set<Uuid> seen;
    std::vector<EventIdConflict> conflicts;
    for (const NewRecordedEvent& event : events) {
        if (!seen.insert(event.event_id).second) {
            conflicts.push_back({event.event_id, EventIdReuse::in_batch});
        }
    }
    return conflicts;
}

std::optional<PayloadTooLarge> excess(std::span<const NewRecordedEvent> events) {
    if (events.size() > max_appended_events) {
        return PayloadTooLarge{max_appended_events, max_appended_events, "number of events"};
    }
    std::size_t all = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (events[i].data.size() > max_event_bytes) {
            return PayloadTooLarge{i, max_event_bytes, "payload"};
        }
        if (size_of(events[i].metadata) > max_metadata_bytes) {
            return PayloadTooLarge{i, max_metadata_bytes, "metadata"};
        }
        all += events[i].data.size();
        if (all > max_appended_bytes) return PayloadTooLarge{i, max_appended_bytes, "batch"};
    }
    return std::nullopt;
}

/// The known ids of a batch, in the batch's order.
using Places = std::vector<const KnownEvent*>;

Places places_of(std::span<const RecordedEvent> batch, std::span<const KnownEvent> known) {
    std::unordered_map<Uuid, const KnownEvent*> by_id;
    for (const KnownEvent& event : known) by_id.emplace(event.event_id, &event);
    Places places;
    for (const RecordedEvent& event : batch) {
        const auto found = by_id.find(event.event_id);
        places.push_back(found == by_id.end() ? nullptr : found->second);
    }
    return places;
}

bool in_one_piece(const Places& places) {
    for (std::size_t i = 1; i < places.size(); ++i) {
        if (places[i]->version != base::next(places[i - 1]->version)) return false;
    }
    return true;
}

EventIdReused reused(std::span<const RecordedEvent> batch, const Places& places,
                     const StreamId& stream) {
    const bool some_are_new = std::ranges::find(places, nullptr) != places.end();
    EventIdReused error;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const KnownEvent* place = places[i];
        if (place == nullptr) continue;
        EventIdReuse reason = EventIdReuse::different_order;
        if (place->stream != stream) {
            reason = EventIdReuse::other_stream;
        } else if (place->content_hash != batch[i].content_hash) {
            reason = EventIdReuse::different_content;
        } else if (some_are_new) {
            reason = EventIdReuse::partial;
        }
        error.conflicts.push_back({batch[i].event_id, reason, place->stream, place->version.value});
    }
    return error;
}

/// The same events in the same stream, in the same order and without a gap.
bool is_replay(std::span<const RecordedEvent> batch, const Places& places, const StreamId& stream) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (places[i] == nullptr || places[i]->stream != stream ||
            places[i]->content_hash != batch[i].content_hash) {
            return false;
        }
    }
    return in_one_piece(places);
}

/// An expectation that names a version can have made the replay only from that version.
bool could_have_appended(ExpectedVersion expected, std::uint64_t first_version) {
    if (expected == ExpectedVersion::any() || expected == ExpectedVersion::stream_exists()) {
        return true;
    }
    return static_cast<std::uint64_t>(expected.number()) + 1 == first_version;
}

std::vector<Uuid> ids_of(std::span<const RecordedEvent> batch) {
    std::vector<Uuid> ids;
    for (const RecordedEvent& event : batch) ids.push_back(event.event_id);
    return ids;
}

}  // namespace

bool is_type_name(std::string_view text) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '.' || c == '-';
    };
    return !text.empty() && text.size() <= max_type_bytes && std::ranges::all_of(text, allowed);
}

std::optional<FieldError> refuse_schema_version(std::string pointer, std::uint32_t version) {
    if (1 <= version && version <= greatest_schema_version) return std::nullopt;
    return FieldError{std::move(pointer), "out_of_range",
                      "must be 1 to " + std::to_string(greatest_schema_version)};
}

std::string_view to_string(EventIdReuse reuse) {
    static constexpr EnumNames<5> names{"PARTIAL", "DIFFERENT_ORDER", "DIFFERENT_CONTENT",
                                        "OTHER_STREAM", "IN_BATCH"};
    return name_in(names, reuse);
}

std::vector<FieldError> defects(const StreamId& stream, const std::string& at) {
    std::vector<FieldError> errors;
    judge_type(errors, at + "/aggregateType", stream.aggregate_type);
    if (!is_aggregate_id(stream.aggregate_id)) {
        errors.push_back({at + "/aggregateId", "bad_format",
                          "must be 1 to 255 bytes of UTF-8 without control characters"});
    }
    return errors;
}

Result<void, ValidationFailed, PayloadTooLarge, EventIdReused> judge_request(
    const Append& requested, const std::string& at) {
    std::vector<FieldError> errors = defects(requested.stream, at);
    if (requested.events.empty()) {
        errors.push_back({at + "/events", "required", "an append has at least one event"});
    }
    if (!errors.empty()) return ValidationFailed{std::move(errors)};
    if (auto large = excess(requested.events)) return std::move(*large);
    for (std::size_t i = 0; i < requested.events.size(); ++i) {
        std::ranges::move(
            defects(requested.events[i], requested.stream, at + "/events/" + std::to_string(i)),
            std::back_inserter(errors));
    }
    if (!errors.empty()) return ValidationFailed{std::move(errors)};
    if (auto conflicts = named_twice(requested.events); !conflicts.empty()) {
        return EventIdReused{std::move(conflicts)};
    }
    return {};
}

Result<std::optional<Appended>, StreamDeleted, EventIdReused, StreamArchived, StreamOptimisticLock>
judge_append(const StreamHead& head, const StreamId& stream, ExpectedVersion expected,
             std::span<const RecordedEvent> batch, std::span<const KnownEvent> known) {
    if (head.deleted) return StreamDeleted{stream};
    if (!known.empty()) {
        const Places places = places_of(batch, known);
        if (!is_replay(batch, places, stream)) return reused(batch, places, stream);
        const std::uint64_t first = places.front()->version.value;
        if (!could_have_appended(expected, first)) {
            return StreamOptimisticLock{stream, expected, head.version, ids_of(batch)};
        }
        return std::optional{Appended{.first_version = first,
                                      .last_version = places.back()->version.value,
                                      .first_position = places.front()->position,
                                      .last_position = places.back()->position,
                                      .current_version = head.version,
                                      .replayed = true}};
    }
    if (head.archived) return StreamArchived{stream};
    if (!expected.allows(head.version)) return StreamOptimisticLock{stream, expected, head.version};
    return std::optional<Appended>{};
}

}  // namespace sundial
