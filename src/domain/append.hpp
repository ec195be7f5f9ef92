#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.hpp"
#include "domain/stream.hpp"

namespace sundial {

/// An event to append, as requested.
struct NewRecordedEvent {
    Uuid event_id;
    std::string event_type;
    std::uint32_t schema_version = 1;
    std::string data;  // one JSON value
    EventMetadata metadata{};
    std::optional<StreamId> stream{};  // if set, it can be appended to no other stream
};
struct Append {
    StreamId stream;
    ExpectedVersion expected = ExpectedVersion::any();
    std::vector<NewRecordedEvent> events;
};
struct Appended {
    std::uint64_t first_version = 0, last_version = 0;
    std::uint64_t first_position = 0, last_position = 0;
    std::uint64_t current_version = 0;  // of the stream; past `last_version` if it has grown since
    bool replayed = false;              // the same batch had been stored before
    friend bool operator==(const Appended&, const Appended&) = default;
};

/// Checks what needs no access to the store: the stream's names, an empty or too large batch, ids
/// that occur twice, events of another stream. The data of each event must be JSON already. Errors:
/// ValidationFailed with pointers from `at` ("" or "/streams/0"), PayloadTooLarge, EventIdReused.
[[nodiscard]] Result<void, ValidationFailed, PayloadTooLarge, EventIdReused> judge_request(
    const Append& requested, const std::string& at = {});
[[nodiscard]] std::vector<FieldError> defects(const StreamId& stream, const std::string& at = {});
/// Of an event or a snapshot.
[[nodiscard]] std::optional<FieldError> refuse_schema_version(std::string pointer,
                                                              std::uint32_t version);
/// Of events, of aggregates, of checkpoints: [A-Za-z0-9_.-]{1,128}.
[[nodiscard]] bool is_type_name(std::string_view text);

/// Where an event id of a batch was found.
struct KnownEvent {
    Uuid event_id;
    StreamId stream;
    Version version;
    std::uint64_t position = 0;
    std::string content_hash;
};

/// Decides an append to a stream whose head is `head`, given the ids of the batch that the store
/// knows. Returns nothing if the batch must be written, or the earlier result if it is a
/// repetition. `known` in any order. Errors, in this order: StreamDeleted, EventIdReused,
/// StreamOptimisticLock of a replay, StreamArchived, StreamOptimisticLock.
[[nodiscard]] Result<std::optional<Appended>, StreamDeleted, EventIdReused, StreamArchived,
                     StreamOptimisticLock>
judge_append(const StreamHead& head, const StreamId& stream, ExpectedVersion expected,
             std::span<const RecordedEvent> batch, std::span<const KnownEvent> known);

}  // namespace sundial
