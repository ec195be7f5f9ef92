#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sundial/embedding.hpp"
#include "sundial/result.hpp"
#include "sundial/retry.hpp"

/// The words of `sundial/streams.hpp`, which brings them into namespace `sundial`: include that
/// one. They live in a namespace of their own because the library's insides use the same words.
namespace sundial::embedding {

/// Whose history a stream is.
struct StreamId {
    std::string type;  // "Order": [A-Za-z0-9_.-]{1,128}
    std::string id;    // 1 to 255 bytes of UTF-8 without control characters
    friend bool operator==(const StreamId&, const StreamId&) = default;
};

/// At which version a stream must be to be appended to. Its version is the number of events ever
/// appended; 0: there is none yet. Any other number than those below is refused by the append
/// (VALIDATION_FAILED): `exactly(version - 1)` of version 0, too.
struct Expected {
    std::int64_t version;
    static constexpr Expected any() { return {-1}; }
    static constexpr Expected no_stream() { return {0}; }
    static constexpr Expected stream_exists() { return {-2}; }
    static constexpr Expected exactly(std::uint64_t version) {
        using Version = std::numeric_limits<std::int64_t>;
        return {version <= Version::max() ? static_cast<std::int64_t>(version) : Version::min()};
    }
};

/// What goes with an event and is no part of it: two appends that differ only here are the same.
struct EventMetadata {
    std::optional<Instant> occurred_at{};
    std::string correlation_id{};  // empty: that of its cause, or the first event of the batch
    std::string causation_id{};
    std::string actor{};
    std::string tenant{};
    std::string traceparent{};
    std::string headers{};  // a JSON object of your own, or nothing
};

/// A fact to be kept.
struct NewRecordedEvent {
    std::string type;         // "OrderPlaced"
    std::string data = "{}";  // one JSON value of at most 256 KiB, kept byte for byte
    std::uint32_t schema_version = 1;
    std::string id{};  // a UUID: with one of your own an append can be repeated; empty: made up
    EventMetadata metadata{};
};
/// A fact that is kept.
struct RecordedEvent {
    StreamId stream;
    std::uint64_t version = 0;   // in its stream, from 1
    std::uint64_t position = 0;  // in the feed
    std::string id{};
    std::string type{};
    std::uint32_t schema_version = 1;
    std::string data{};  // empty once it was erased
    EventMetadata metadata{};
    Instant recorded_at{};
    bool redacted = false;        // its data was replaced
    bool stream_deleted = false;  // told by the feed only
};

struct Appended {
    std::uint64_t first_version = 0, last_version = 0;
    std::uint64_t first_position = 0, last_position = 0;
    std::uint64_t current_version = 0;  // past `last_version` where the stream has grown since
    bool replayed = false;              // the same batch was there already
};

/// Versions `from` to `to`, both included; the newest first if `backward`.
struct StreamRange {
    std::uint64_t from = 1;
    std::uint64_t to = std::numeric_limits<std::int64_t>::max();
    bool backward = false;
    std::size_t limit = 500;  // 1 to 10,000
};
struct StreamPart {
    std::uint64_t version = 0;           // of the whole stream; 0: nobody has ever appended
    std::uint64_t truncated_before = 0;  // events below are erased
    bool archived = false;
    std::vector<RecordedEvent> events;
};

/// The state of an aggregate at a version, so that not all events before it need be read.
struct Snapshot {
    std::uint64_t version = 0;
    std::uint32_t schema_version = 1;  // of the state
    std::string state;                 // JSON
};

struct FeedFilter {
    std::vector<std::string> stream_types{};  // empty: all
    std::vector<std::string> event_types{};   // empty: all
};
struct FeedPage {
    std::vector<RecordedEvent> events;
    std::uint64_t next_position = 0;  // read on from here; moves on though nothing matched
    bool more = false;                // there is more to read at once
};

/// How far somebody has come in the feed.
struct Checkpoint {
    std::uint64_t position = 0;
    std::string event_id{};  // what is recorded there; may be empty
    std::uint64_t fencing_token = 0;
};

/// Streams inside one transaction. Valid only inside the call that handed it out; may fail by an
/// exception, which is to be let through.
class StreamTransaction {
public:
    Result<Appended> append(const StreamId& stream, Expected expected,
                            const std::vector<NewRecordedEvent>& events);
    Result<StreamPart> read(const StreamId& stream, const StreamRange& range = {});
    /// Empty where none was saved.
    Result<std::optional<Snapshot>> snapshot(const StreamId& stream);

private:
    friend class Streams;
    struct Parts;
    explicit StreamTransaction(Parts& parts) : parts_(parts) {}
    Parts& parts_;
};

/// How events are followed.
struct Following {
    std::string name;  // of the checkpoint: [A-Za-z0-9_.-]{1,128}
    FeedFilter filter{};
    std::chrono::microseconds lease =
        std::chrono::seconds{30};  // 100 ms to 24 h: after which another one takes over
    std::size_t page = 100;        // 1 to 10,000 events between two checkpoints
    std::size_t lanes = 1;         // 1 to 100 at once, each stream in its order: `follow` only
    RetryRules retry{
        .max_attempts = 5, .base = std::chrono::milliseconds{100}, .cap = std::chrono::seconds{10}};
    bool park = false;  // lays aside what cannot be handled; else it stops there
};
/// An event that was laid aside.
struct ParkedEvent {
    std::uint64_t position = 0;
    std::string event_id;
    std::string reason;
    std::uint32_t attempts = 0;
};

/// Follows the feed, from its checkpoint on. Of all that follow under one name, in however many
/// processes, one has its turn; it is taken over from once its lease is over. A handle to move, not
/// to copy; the engine outlives it. One thread at a time, but for `stopped`.
class Subscription {
public:
    Subscription(Subscription&&) noexcept;
    Subscription& operator=(Subscription&&) noexcept;
    /// Stops first, and waits for the event under way.
    ~Subscription();

    /// Handles all that is there, on this thread. Errors: LOCK_HELD while another one has its turn,
    /// STOPPED with why it goes no further.
    Result<Done> catch_up();
    /// Handles what comes, from now on, on a thread of its own.
    void start();
    /// Why it stopped by itself, such as an event that cannot be handled; empty: it has not.
    [[nodiscard]] std::optional<std::string> stopped() const;

private:
    friend class Streams;
    struct Parts;
    explicit Subscription(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

/// Facts, kept in streams that others read in one order.
///
///     auto streams = engine->streams();
///     const sundial::StreamId order{"Order", "17"};
///     const auto done =
///         streams.append(order, sundial::Expected::no_stream(), {{.type = "OrderPlaced"}});
///     if (!done) return complain(done.error().detail);
///     if (const auto part = streams.read(order)) {
///         for (const auto& event : part->events) tell(event);
///     }
///
/// Streams of the types User, Schedule, Endpoint and ApiKey are Sundial's own: they are read, and
/// written by changes of theirs only (VALIDATION_FAILED).
///
/// Copies are the same; thread-safe; the engine outlives them. Every call may answer
/// STORAGE_UNAVAILABLE.
class Streams {
public:
    /// The whole batch or nothing, if the stream is where it is expected; the same again, with ids,
    /// is answered as the first time. Errors: VALIDATION_FAILED, PAYLOAD_TOO_LARGE,
    /// OPTIMISTIC_LOCK, EVENT_ID_REUSED, STREAM_DELETED, STREAM_ARCHIVED; COMMIT_OUTCOME_UNKNOWN:
    /// repeat it.
    Result<Appended> append(const StreamId& stream, Expected expected,
                            const std::vector<NewRecordedEvent>& events);
    /// One that is not there is at version 0. Errors: VALIDATION_FAILED, STREAM_DELETED.
    Result<StreamPart> read(const StreamId& stream, const StreamRange& range = {});
    /// All events in one order, 1 to 10,000 of them: nothing is ever found at or below a position
    /// that was returned. Errors: VALIDATION_FAILED.
    Result<FeedPage> feed(std::uint64_t after, const FeedFilter& filter = {},
                          std::size_t limit = 100);

    /// All that `work` does, or nothing if it answers an error. It may run again after a conflict
    /// with others, so it has no other effects.
    Result<Done> transact(const std::function<Result<Done>(StreamTransaction&)>& work);
    /// The same while nobody else appends to `stream`.
    Result<Done> locked(const StreamId& stream,
                        const std::function<Result<Done>(StreamTransaction&)>& work);

    /// Hands each event to `handle`, at least once. An Error is a failure, as is an exception.
    Subscription follow(Following following,
                        std::function<Result<Done>(const RecordedEvent&)> handle);
    /// Hands each event to `project`, whose appends count together with the checkpoint: once.
    Subscription project(
        Following following,
        std::function<Result<Done>(StreamTransaction&, const RecordedEvent&)> project);
    /// What the follower of that name has laid aside, past `after`; at most 100.
    Result<std::vector<ParkedEvent>> parked(const std::string& name, std::uint64_t after = 0);
    /// It is dealt with. Whether it was there.
    Result<bool> unpark(const std::string& name, std::uint64_t position);
    /// For who follows by means of his own. Errors: VALIDATION_FAILED.
    Result<Checkpoint> checkpoint(const std::string& name);
    /// Moves it from `previous`. Errors: LEASE_LOST where a greater token was seen,
    /// CHECKPOINT_CONFLICT, FEED_DIVERGED, VALIDATION_FAILED.
    Result<Checkpoint> save_checkpoint(const std::string& name, const Checkpoint& next,
                                       std::uint64_t previous);

    Result<std::optional<Snapshot>> snapshot(const StreamId& stream);
    /// False if one as new is kept. Errors: AGGREGATE_NOT_FOUND, VALIDATION_FAILED.
    Result<bool> save_snapshot(const StreamId& stream, const Snapshot& snapshot);

    // Errors of these: AGGREGATE_NOT_FOUND, STREAM_DELETED.
    /// Reads, but takes no appends until it is restored.
    Result<Done> archive(const StreamId& stream);
    Result<Done> restore(const StreamId& stream);
    /// Erases the data before `version`; VALIDATION_FAILED without a snapshot of what is erased.
    Result<Done> truncate(const StreamId& stream, std::uint64_t version);
    /// Erases all data and closes it for ever.
    Result<Done> remove(const StreamId& stream);
    /// Puts `data` in place of one event's.
    Result<Done> redact(const StreamId& stream, std::uint64_t version, const std::string& data);

    /// A UUID that nothing else has.
    [[nodiscard]] std::string fresh_id();

private:
    friend class Engine;
    friend class Subscription;
    struct Parts;
    explicit Streams(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
    std::shared_ptr<Parts> parts_;
};

}  // namespace sundial::embedding
