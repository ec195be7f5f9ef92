#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/ids.hpp"
#include "domain/stream.hpp"

namespace sundial {

/// A stream is not at the version that the caller expected. OPTIMISTIC_LOCK, like that of a row.
struct StreamOptimisticLock {
    StreamId stream;
    ExpectedVersion expected;
    std::uint64_t actual;
    std::vector<Uuid> duplicates{};  // the batch is stored, but not by this expectation
    unsigned attempts = 1;
};

/// Why a known event id cannot be used.
enum class EventIdReuse : std::uint8_t {
    partial,            // other events of its batch are unknown
    different_order,    // the batch is stored, but in another order or with gaps
    different_content,  // another type, schema version or payload
    other_stream,
    in_batch  // twice in this batch
};
[[nodiscard]] std::string_view to_string(EventIdReuse reuse);
struct EventIdConflict {
    Uuid event_id;
    EventIdReuse reason;
    std::optional<StreamId> stream{};  // the stream that has it
    std::uint64_t version = 0;
};
struct EventIdReused {
    std::vector<EventIdConflict> conflicts;
};
/// Nothing was ever appended to it.
struct AggregateNotFound {
    StreamId stream;
};
struct StreamDeleted {
    StreamId stream;
};
struct StreamArchived {
    StreamId stream;
};
/// The checkpoint has moved from the position that the caller named.
struct CheckpointConflict {
    std::string name;
    std::uint64_t position;  // the current one
};
/// A greater fencing token was seen: another consumer runs by now. LEASE_LOST.
struct CheckpointLost {
    std::string name;
    std::uint64_t fencing_token;  // the caller's
};
/// The event that the checkpoint names is not the one that the store has at its position: one of
/// the two belongs to another history, such as a restored backup.
struct FeedDiverged {
    std::uint64_t position;
    Uuid event_id;
};
/// The aggregate cannot be loaded: it has an event of a type it does not know.
struct UnknownEventType {
    std::string type;
    std::uint32_t schema_version;
};
/// Item `index` of a batch, or the whole batch, is larger than allowed.
struct PayloadTooLarge {
    std::optional<std::size_t> index;
    std::size_t limit;
    std::string what;  // "payload", "metadata", "batch"
};

}  // namespace sundial
