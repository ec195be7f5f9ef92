#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "domain/ids.hpp"
#include "domain/stream.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// What goes with a recorded event and is no part of it: two appends that differ only here are the
/// same.
struct EventMetadata {
    std::optional<Instant> occurred_at{};
    std::string correlation_id{};  // of the conversation that it belongs to
    std::string causation_id{};    // of what caused it; these are empty where there is none
    std::string actor{};           // who did it: see Caller
    std::string tenant{};
    std::string traceparent{};
    std::string headers{};  // a JSON object of the caller's own
    friend bool operator==(const EventMetadata&, const EventMetadata&) = default;
};

/// A fact kept in a stream. The control plane's streams are those of users, schedules,
/// endpoints and API keys: one fact for each change, row version = stream version.
struct RecordedEvent {
    StreamId stream;
    Version version;
    Uuid event_id;
    std::string event_type;  // "UserCreated", …
    std::uint32_t schema_version = 1;
    std::string data;  // JSON; empty once it was erased
    EventMetadata metadata{};
    std::string content_hash{};  // SHA-256 of what makes two events the same; empty: never compared
    // What the store adds.
    std::uint64_t position = 0;  // in the feed
    Instant recorded_at{};
    std::optional<Instant> redacted_at{};  // its payload was replaced
    friend bool operator==(const RecordedEvent&, const RecordedEvent&) = default;
};

}  // namespace sundial
