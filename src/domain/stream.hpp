#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// The greatest version, position or fencing token: the databases count in signed 64-bit integers.
inline constexpr std::uint64_t greatest_number = std::numeric_limits<std::int64_t>::max();

/// Whose history a stream is.
struct StreamId {
    std::string aggregate_type;  // [A-Za-z0-9_.-]{1,128}
    std::string aggregate_id;    // 1 to 255 bytes of UTF-8 without control characters
    friend auto operator<=>(const StreamId&, const StreamId&) = default;
};

/// The version that a stream must have for an append (concurrency 1).
class ExpectedVersion {
public:
    static constexpr ExpectedVersion any() { return ExpectedVersion{-1}; }
    static constexpr ExpectedVersion no_stream() { return ExpectedVersion{0}; }
    static constexpr ExpectedVersion stream_exists() { return ExpectedVersion{-2}; }
    /// A version past the greatest number is one that no stream ever has, as that number is.
    static constexpr ExpectedVersion exactly(std::uint64_t version) {
        return ExpectedVersion{
            static_cast<std::int64_t>(version < greatest_number ? version : greatest_number)};
    }
    /// -2, -1, or a version.
    static constexpr std::optional<ExpectedVersion> of(std::int64_t number) {
        if (number < -2) return std::nullopt;
        return ExpectedVersion{number};
    }
    /// "ANY", "NO_STREAM", "STREAM_EXISTS", or such a number.
    static std::optional<ExpectedVersion> parse(std::string_view text);

    [[nodiscard]] constexpr bool allows(std::uint64_t actual) const {
        if (*this == any()) return true;
        if (*this == stream_exists()) return actual > 0;
        return static_cast<std::uint64_t>(number_) == actual;
    }
    /// In the API's form: -2, -1, or a version.
    [[nodiscard]] constexpr std::int64_t number() const { return number_; }
    friend bool operator==(const ExpectedVersion&, const ExpectedVersion&) = default;

private:
    explicit constexpr ExpectedVersion(std::int64_t number) : number_{number} {}
    std::int64_t number_;
};

/// For messages: "NO_STREAM", "ANY", "STREAM_EXISTS", or the version.
[[nodiscard]] std::string to_string(ExpectedVersion expected);

/// The state of a stream. Its version is the number of events ever appended: it never shrinks.
struct StreamHead {
    std::uint64_t version = 0;           // 0: nothing was ever appended
    std::uint64_t truncated_before = 0;  // payloads below this version are erased
    bool archived = false;               // can be read, not appended to; reversible
    bool deleted = false;                // closed permanently, payloads erased
    friend bool operator==(const StreamHead&, const StreamHead&) = default;
};

/// Maximum of events in one append, of the bytes of its payloads together, of one payload, and of
/// one event's metadata (concurrency 1).
inline constexpr std::size_t max_appended_events = 1000;
inline constexpr std::size_t max_appended_bytes = std::size_t{4} << 20U;
inline constexpr std::size_t max_event_bytes = std::size_t{256} << 10U;
inline constexpr std::size_t max_metadata_bytes = std::size_t{16} << 10U;
/// Greatest schema version of an event or a snapshot. People count it up by hand, when they change
/// a format.
inline constexpr std::uint32_t greatest_schema_version = 1'000'000;
/// Most events that one page of a stream or of the feed has.
inline constexpr std::size_t max_read_events = 10'000;

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
