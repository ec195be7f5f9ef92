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
#include "domain/checkpoint.hpp"
#include "domain/stream.hpp"

namespace sundial {

/// Versions `from` to `to`, both included; the newest first if `backward`.
struct StreamRange {
    std::uint64_t from = 1;
    std::uint64_t to = std::numeric_limits<std::int64_t>::max();
    bool backward = false;
    std::size_t limit = 500;
};

/// The state of an aggregate at a version. A reader with a snapshot reads only the events after it.
struct Snapshot {
    std::uint64_t version = 0;
    std::uint32_t schema_version = 1;  // of the state
    std::string state;                 // JSON
    friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

struct StreamQuery {
    std::optional<std::string> aggregate_type;
    std::optional<std::string> prefix;  // of the aggregate id
    std::optional<StreamId> after;      // the last stream of the previous page
    std::size_t limit = 50;
    /// About how many streams a page reads in search of a prefix that few have, greater than 0. The
    /// page then ends, perhaps without an item.
    std::size_t max_passed = 10'000;
};
struct ListedStream {
    StreamId stream;
    StreamHead head;
    friend bool operator==(const ListedStream&, const ListedStream&) = default;
};

/// The stream at which a page has ended.
[[nodiscard]] inline PageKey place_of(const StreamId& stream) {
    return {.value = stream.aggregate_type + '/' + stream.aggregate_id, .id = {}};
}

/// Streams, inside one transaction. `domain/append.hpp` decides which appends are allowed.
class EventStore {
public:
    virtual ~EventStore() = default;
    /// No other transaction appends to the stream until this one ends, whether or not the stream
    /// exists.
    virtual StreamHead lock(const StreamId& stream) = 0;
    virtual StreamHead find(const StreamId& stream) = 0;
    /// Sorted by type and id, byte by byte. The value of `passed` is `type/id`.
    virtual Page<ListedStream> list(const StreamQuery& query) = 0;
    /// The events among `ids` that exist, in any stream.
    virtual std::vector<KnownEvent> known(std::span<const Uuid> ids) = 0;
    /// Writes events of one stream, whose versions are consecutive, and moves its head to the last.
    /// Returns their positions, in ascending order. A version or an id that already exists is a bug
    /// of the caller.
    virtual std::vector<std::uint64_t> append(std::span<const RecordedEvent> events) = 0;
    /// Events of one stream, without truncated ones.
    virtual std::vector<RecordedEvent> read(const StreamId& stream, const StreamRange& range) = 0;

    // The stream must be locked.
    virtual void set_archived(const StreamId& stream, bool archived) = 0;
    /// Erases the payloads of the versions before `before`.
    virtual void truncate(const StreamId& stream, std::uint64_t before) = 0;
    /// Erases all payloads and the snapshot, and closes the stream permanently. Headers and
    /// positions stay.
    virtual void close(const StreamId& stream) = 0;
    /// Replaces the payload of one event. False if that version does not exist.
    virtual bool redact(const StreamId& stream, std::uint64_t version, const std::string& data) = 0;

    virtual std::optional<Snapshot> snapshot(const StreamId& stream) = 0;
    /// Keeps the newer snapshot. False if the stored one is at least as new.
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
    std::uint64_t next_position = 0;  // continue here; advances even if nothing matched
    bool more = false;                // another page is available now
};

/// All recorded events in one stable order: no event ever appears at or below a position that was
/// returned. The order within a stream is kept. An event acknowledged before another append began
/// comes first (concurrency 1). Thread-safe. Throws Unavailable.
class Feed {
public:
    virtual ~Feed() = default;
    /// At most `limit` (at least 1) entries after `after`. Stops before the position of an append
    /// that has not ended yet, without waiting for it.
    virtual FeedPage read_all(std::uint64_t after, const FeedFilter& filter, std::size_t limit) = 0;
};

/// Position of the feed and of its subscribers.
struct FeedProgress {
    struct Follower {
        std::string name;
        std::uint64_t position;  // of its checkpoint
        friend bool operator==(const Follower&, const Follower&) = default;
    };
    std::uint64_t position = 0;  // of the newest recorded event
    std::vector<Follower> followers{};
    friend bool operator==(const FeedProgress&, const FeedProgress&) = default;
};

/// For monitoring the feed without following it. Thread-safe. Throws Unavailable.
class FeedMeter {
public:
    virtual ~FeedMeter() = default;
    /// The first `max_followers` followers, by name. A follower is a subscriber that has stored a
    /// checkpoint.
    virtual FeedProgress measure(std::size_t max_followers) = 0;
};

/// A feed that reports its progress. Thread-safe.
class MeteredFeed : public Feed, public FeedMeter {};

/// Checkpoints of the feed's subscribers, inside one transaction. A subscriber that saves its
/// checkpoint together with its results counts each event exactly once. `domain/checkpoint.hpp`
/// decides which checkpoints may be written.
class CheckpointStore {
public:
    virtual ~CheckpointStore() = default;
    /// No other transaction changes the checkpoint until this one ends, whether or not it exists. A
    /// checkpoint that was never stored has version 0.
    virtual Checkpoint lock(const std::string& name) = 0;
    virtual Checkpoint find(const std::string& name) = 0;
    /// The checkpoint must be locked.
    virtual void put(const std::string& name, const Checkpoint& checkpoint) = 0;

    /// An event that is already parked at this position stays unchanged.
    virtual void park(const std::string& name, const ParkedEvent& event) = 0;
    /// In order of position, starting after `after`.
    virtual std::vector<ParkedEvent> parked(const std::string& name, std::uint64_t after,
                                            std::size_t limit) = 0;
    /// False if no event is parked there.
    virtual bool unpark(const std::string& name, std::uint64_t position) = 0;
};

}  // namespace sundial
