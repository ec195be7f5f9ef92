#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/json.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/ids.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "domain/api_key.hpp"
#include "domain/checkpoint.hpp"

/// Streams and recorded events as JSON. The data of an event is stored and returned byte for byte.
namespace sundial::http {

/// The body of an append. Event ids that are not given are generated. Errors: VALIDATION_FAILED for
/// an invalid expected version, id or instant.
[[nodiscard]] base::Result<Append, Problem> append_in(const JsonBody& body, StreamId stream,
                                                      Ids& ids);
[[nodiscard]] std::string appended_json(const Appended& appended);

/// `event` as a caller with that role may read it. Only ADMIN may list API keys and read their
/// names.
[[nodiscard]] RecordedEvent readable_by(Role role, RecordedEvent event);
[[nodiscard]] std::string recorded_event_json(const RecordedEvent& event, bool stream_deleted);
/// Writes the members of a stream into an open object.
void write_stream(base::JsonWriter& json, const StreamId& stream, const StreamHead& head);

[[nodiscard]] Snapshot snapshot_in(const JsonBody& body);
[[nodiscard]] std::string snapshot_json(const Snapshot& snapshot);

/// As a server-sent event with the id `id`.
[[nodiscard]] std::string sent_event(std::uint64_t id, std::string_view json);

/// Errors: VALIDATION_FAILED for an invalid event id.
[[nodiscard]] base::Result<CheckpointStep, Problem> checkpoint_step_in(const JsonBody& body);
[[nodiscard]] std::string checkpoint_json(const std::string& name, const Checkpoint& checkpoint);

}  // namespace sundial::http
