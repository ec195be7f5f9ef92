#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "domain/ids.hpp"
#include "domain/stream.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// Data that accompanies a recorded event without being part of it: two appends that differ only
/// here are the same.
struct EventMetadata {
    std::optional<Instant> occurred_at{};
    std::string correlation_id{};  // of the conversation it belongs to
    std::string causation_id{};    // of its cause; both are empty if there is none
    std::string actor{};           // the caller: see Caller
    std::string tenant{};
    std::string traceparent{};
    std::string headers{};  // a JSON object of the caller's own
    friend bool operator==(const EventMetadata&, const EventMetadata&) = default;
};

/// A fact kept in a stream. The control plane's streams are those of users, schedules, endpoints
/// and API keys: one event for each change, row version = stream version.
struct RecordedEvent {
    StreamId stream;
    Version version;
    Uuid event_id;
    std::string event_type;  // "UserCreated", …
    std::uint32_t schema_version = 1;
    std::string data;  // JSON; empty after erasure
    EventMetadata metadata{};
    std::string content_hash{};  // SHA-256 of the content that makes two events the same; empty:
                                 // never compared
    // Added by the store.
    std::uint64_t position = 0;  // in the feed
    Instant recorded_at{};
    std::optional<Instant> redacted_at{};  // its payload was replaced
    friend bool operator==(const RecordedEvent&, const RecordedEvent&) = default;
};

}  // namespace sundial
