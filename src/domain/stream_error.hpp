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
    std::vector<Uuid> duplicates{};  // the batch is there, but cannot have come of this expectation
    unsigned attempts = 1;
};

/// What is wrong with an event id that is known.
enum class EventIdReuse : std::uint8_t {
    partial,            // others of its batch are not known
    different_order,    // the batch is there, but not in this order or not in one piece
    different_content,  // another type, schema version or payload
    other_stream,
    in_batch  // twice in this batch
};
[[nodiscard]] std::string_view to_string(EventIdReuse reuse);
struct EventIdConflict {
    Uuid event_id;
    EventIdReuse reason;
    std::optional<StreamId> stream{};  // where it is
    std::uint64_t version = 0;
};
struct EventIdReused {
    std::vector<EventIdConflict> conflicts;
};
/// Nobody has ever appended to it.
struct AggregateNotFound {
    StreamId stream;
};
struct StreamDeleted {
    StreamId stream;
};
struct StreamArchived {
    StreamId stream;
};
/// Somebody has moved the checkpoint since it was at the position that the caller named.
struct CheckpointConflict {
    std::string name;
    std::uint64_t position;  // where it is
};
/// A greater fencing token has been seen there: somebody else runs it by now. LEASE_LOST.
struct CheckpointLost {
    std::string name;
    std::uint64_t fencing_token;  // the caller's
};
/// What a checkpoint says was recorded at its position is not what the store has there: one of them
/// is of another past, such as a restored backup.
struct FeedDiverged {
    std::uint64_t position;
    Uuid event_id;
};
/// An aggregate cannot be made of an event that nobody has told it of.
struct UnknownEventType {
    std::string type;
    std::uint32_t schema_version;
};
/// Item `index` of a batch, or all of it, is larger than allowed.
struct PayloadTooLarge {
    std::optional<std::size_t> index;
    std::size_t limit;
    std::string what;  // "payload", "metadata", "batch"
};

}  // namespace sundial
