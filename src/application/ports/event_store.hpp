#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/append.hpp"
#include "domain/recorded_event.hpp"

namespace sundial {

/// Versions `from` to `to`, both included; the newest first if `backward`.
struct StreamRange {
    std::uint64_t from = 1;
    std::uint64_t to = std::numeric_limits<std::int64_t>::max();
    bool backward = false;
    std::size_t limit = 500;
};

/// The state of an aggregate at a version, so that not all events before it need be read.
struct Snapshot {
    std::uint64_t version = 0;
    std::uint32_t schema_version = 1;  // of the state
    std::string state;                 // JSON
    friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

struct StreamQuery {
    std::optional<std::string> aggregate_type;
    std::optional<std::string> prefix;  // of the aggregate id
    std::optional<StreamId> after;      // the last one of the page before
    std::size_t limit = 50;
};
struct ListedStream {
    StreamId stream;
    StreamHead head;
    friend bool operator==(const ListedStream&, const ListedStream&) = default;
};

/// Streams, inside one transaction. What may be written is `domain/append.hpp`'s to say.
class EventStore {
public:
    virtual ~EventStore() = default;
    /// Until the transaction ends nobody else appends to the stream, there or not.
    virtual StreamHead lock(const StreamId& stream) = 0;
    virtual StreamHead find(const StreamId& stream) = 0;
    /// Sorted by type and id, byte by byte.
    virtual Page<ListedStream> list(const StreamQuery& query) = 0;
    /// Those of `ids` that are known, wherever they are.
    virtual std::vector<KnownEvent> known(std::span<const Uuid> ids) = 0;
    /// Writes events of one stream, whose versions follow each other, and moves its head to the
    /// last. Returns their positions, which rise. A version or an id that is there already is a bug
    /// of the caller.
    virtual std::vector<std::uint64_t> append(std::span<const RecordedEvent> events) = 0;
    /// Events of one stream; truncated ones are left out.
    virtual std::vector<RecordedEvent> read(const StreamId& stream, const StreamRange& range) = 0;

    // Of a locked stream.
    virtual void set_archived(const StreamId& stream, bool archived) = 0;
    /// Erases the payloads of the versions before that.
    virtual void truncate(const StreamId& stream, std::uint64_t before) = 0;
    /// Erases all payloads and the snapshot, and closes the stream for ever; headers and positions
    /// stay.
    virtual void close(const StreamId& stream) = 0;
    /// Replaces the payload of one event. False if there is none of that version.
    virtual bool redact(const StreamId& stream, std::uint64_t version, const std::string& data) = 0;

    virtual std::optional<Snapshot> snapshot(const StreamId& stream) = 0;
    /// Keeps the newer one. False if there is one as new.
    virtual bool save_snapshot(const StreamId& stream, const Snapshot& snapshot) = 0;
};

struct FeedFilter {
    std::vector<std::string> aggregate_types{};  // empty: all
    std::vector<std::string> event_types{};      // empty: all
};
struct FeedPage {
    struct Entry {
        RecordedEvent event;
        bool deleted;  // its stream is closed
    };
    std::vector<Entry> entries;
    std::uint64_t next_position = 0;  // read on from here; moves on though nothing matched
    bool more = false;                // there is more to read at once
};

/// All recorded events in one order without gaps in time: nothing is ever found at or below a
/// position that was returned; stream order is kept; what was acknowledged before another append
/// began comes first (concurrency 1). Thread-safe. Throws Unavailable.
class Feed {
public:
    virtual ~Feed() = default;
    /// At most `limit` entries, which is at least 1, past `after`; fewer, or none, while an append
    /// below what is there already has not ended. Never waits for it.
    virtual FeedPage read_all(std::uint64_t after, const FeedFilter& filter, std::size_t limit) = 0;
};

}  // namespace sundial
