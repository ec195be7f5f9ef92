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
#include "sundial/values.hpp"

#pragma GCC visibility push(default)

/// The types of `sundial/streams.hpp`, which brings them into namespace `sundial`: include that
/// header. They have their own namespace because the library's internals use the same names.
namespace sundial::embedding {

/// The state of an aggregate at a version, so that a load need not read the events before it.
struct Snapshot {
    /// The version of the stream that has this state.
    std::uint64_t version = 0;
    std::uint32_t schema_version = 1;  // of the state
    std::string state;                 // JSON
};

/// A stream in a list.
struct ListedStream {
    /// Type and id of the stream.
    StreamId stream;
    /// The version of its newest event.
    std::uint64_t version = 0;
    /// No event can be appended until it is restored.
    bool archived = false;
    /// Its data was erased; only its versions remain.
    bool deleted = false;
};
/// A part of the list of streams.
struct StreamPage {
    /// In the order of type and id.
    std::vector<ListedStream> streams;
    std::optional<StreamId> next{};  // for the next page; empty: this is the last one
};

/// Selects events of the feed. An empty list matches every value.
struct FeedFilter {
    std::vector<std::string> stream_types{};  // empty: all
    std::vector<std::string> event_types{};   // empty: all
};
/// A part of the feed.
struct FeedPage {
    /// In the order of their positions.
    std::vector<RecordedEvent> events;
    std::uint64_t next_position = 0;  // continue from here; advances even if no event matched
    bool more = false;                // more can be read at once
};

/// The position that a consumer has reached in the feed.
struct Checkpoint {
    /// The position of the last handled event.
    std::uint64_t position = 0;
    std::string event_id{};  // id of the event at that position; may be empty
    /// The fencing token of the follower that moved it.
    std::uint64_t fencing_token = 0;
};

class Transaction;  // sundial/transacting.hpp

/// The options of a subscription to the feed.
struct Following {
    std::string name;  // of the checkpoint: [A-Za-z0-9_.-]{1,128}
    /// The events that it gets.
    FeedFilter filter{};
    std::chrono::microseconds lease =
        std::chrono::seconds{30};  // 100 ms to 24 h: after which another one takes over
    std::size_t page = 100;        // 1 to 10,000 events between two checkpoints
    std::size_t lanes = 1;         // 1 to 100 at once, each stream in its order: `follow` only
    /// Repetitions of an event whose handler failed, before it is parked.
    RetryRules retry{
        .max_attempts = 5, .base = std::chrono::milliseconds{100}, .cap = std::chrono::seconds{10}};
    bool park = false;  // set aside an event that cannot be handled instead of stopping
};
/// An event that was set aside.
struct ParkedEvent {
    /// Its position in the feed.
    std::uint64_t position = 0;
    /// Its id, a UUID.
    std::string event_id;
    /// The failure of the last attempt.
    std::string reason;
    /// Number of attempts before it was parked.
    std::uint32_t attempts = 0;
};

/// Follows the feed from its checkpoint, or outcomes (`sundial/outcomes.hpp`). Of all subscriptions
/// with one name, in any number of processes, one is active; another takes over when it stops, or
/// when its lease has expired. Movable, not copyable. The engine must outlive it. Use from one
/// thread at a time, except `stopped`. Its handler counts as a handler of the engine (see
/// `Engine`), and may destroy the subscription.
class Subscription {
public:
    /// The source follows nothing afterwards.
    Subscription(Subscription&&) noexcept;
    /// Stops the subscription that this object held.
    Subscription& operator=(Subscription&&) noexcept;
    /// Stops, and waits for the event being handled. In its own handler it does not wait: the
    /// subscription ends after the handler has returned, and `Engine::stop` waits for that.
    ~Subscription();

    /// Handles all recorded events on this thread, up to the end of the feed. Errors: LOCK_HELD
    /// while another subscription of its name is active, or this one after `start` or in another
    /// `catch_up`; STOPPED with the reason; REENTRANT_CALL in its own handler.
    Result<Done> catch_up();
    /// Handles events as they are recorded, on its own thread.
    void start();
    /// Ends what `start` began, and waits for the event being handled, except in its own handler:
    /// then it ends after the handler has returned and the checkpoint is stored. It can be started
    /// again, in the handler too, but not while another thread waits in `stop`. A start by a
    /// handler inside `catch_up` takes effect after that.
    void stop();
    /// The reason why the subscription stopped by itself, for example an event that cannot be
    /// handled; empty: it did not.
    [[nodiscard]] std::optional<std::string> stopped() const;

private:
    friend class Outcomes;
    friend class Streams;
    struct Parts;
    explicit Subscription(std::unique_ptr<Parts> parts);
    static void close(std::unique_ptr<Parts> parts) noexcept;
    std::unique_ptr<Parts> parts_;
};

/// The event store: append-only streams, and one feed of all their events.
///
///     auto streams = engine->streams();
///     const sundial::StreamId order{"Order", "17"};
///     const auto done =
///         streams.append(order, sundial::Expected::no_stream(), {{.type = "OrderPlaced"}});
///     if (!done) return report(done.error().detail);
///     if (const auto part = streams.read(order)) {
///         for (const auto& event : part->events) report(event);
///     }
///
/// Streams of the types User, Schedule, Endpoint and ApiKey belong to Sundial: you can read them,
/// but an append fails with VALIDATION_FAILED.
///
/// Copies refer to the same store. Thread-safe. The engine must outlive them. Every call can return
/// STORAGE_UNAVAILABLE.
class Streams {
public:
    /// Appends the whole batch or nothing. The stream must have the expected version. Repeating a
    /// batch with the same ids returns the first result. Errors: VALIDATION_FAILED,
    /// PAYLOAD_TOO_LARGE, OPTIMISTIC_LOCK, EVENT_ID_REUSED, STREAM_DELETED, STREAM_ARCHIVED;
    /// COMMIT_OUTCOME_UNKNOWN: repeat it.
    Result<Appended> append(const StreamId& stream, Expected expected,
                            const std::vector<NewRecordedEvent>& events);
    /// A stream that does not exist is at version 0. Errors: VALIDATION_FAILED, STREAM_DELETED.
    Result<StreamPart> read(const StreamId& stream, const StreamRange& range = {});
    /// At most `limit` streams, 1 to 500, of one type (empty: of all), after `after`. Errors:
    /// VALIDATION_FAILED.
    Result<StreamPage> list(const std::string& type = {},
                            const std::optional<StreamId>& after = std::nullopt,
                            std::size_t limit = 50);
    /// All events in one order, 1 to 10,000 of them: nothing is ever found at or below a position
    /// that was returned. Errors: VALIDATION_FAILED.
    Result<FeedPage> feed(std::uint64_t after, const FeedFilter& filter = {},
                          std::size_t limit = 100);

    /// As `Engine::transact`.
    Result<Done> transact(const std::function<Result<Done>(Transaction&)>& work);
    /// The same while no other writer can append to `stream`.
    Result<Done> locked(const StreamId& stream,
                        const std::function<Result<Done>(Transaction&)>& work);

    /// Passes each event to `handle` at least once. An Error or an exception is a failure.
    Subscription follow(Following following,
                        std::function<Result<Done>(const RecordedEvent&)> handle);
    /// Passes each event to `project`. Everything that it does in the transaction, such as writing
    /// your own tables with `Transaction::sql`, is committed together with the checkpoint, so it
    /// takes effect once.
    Subscription project(Following following,
                         std::function<Result<Done>(Transaction&, const RecordedEvent&)> project);
    /// Passes each event that this engine appends to streams of your own, and that matches
    /// `filter`, to `project` in the transaction of the append: its rows and the events are
    /// committed together. A projection that returns an error or throws undoes the append, which
    /// returns that error. Several projections run in the order of these calls, for each event in
    /// turn; they may append, but events that they append are not projected inline. A batch that
    /// had been stored before (`Appended::replayed`) is not projected again. Appends of other
    /// processes, over HTTP and by SQL are not projected: where those happen use `project`. Appends
    /// of matching streams take two more round trips and one savepoint. Not thread-safe: call
    /// before the first append.
    void project_inline(FeedFilter filter,
                        std::function<Result<Done>(Transaction&, const RecordedEvent&)> project);
    /// How far the subscription of that name is behind the newest recorded event, in positions of
    /// the feed; 0: it has handled all. Errors: VALIDATION_FAILED.
    Result<std::uint64_t> lag(const std::string& name);
    /// Waits until the subscription of that name has handled all events up to `position`, such as
    /// `Appended::last_position`, so that the caller reads its own writes in a view. Waits for
    /// `at_most` and checks every 10 ms. Do not call it in a handler of that subscription. Errors:
    /// REQUEST_TIMEOUT if the subscription has not reached the position; VALIDATION_FAILED.
    Result<Done> wait(const std::string& name, std::uint64_t position,
                      std::chrono::microseconds at_most);
    /// Restarts a projection: in one transaction, `clear` deletes the rows that it has written, and
    /// the checkpoint returns to the beginning of the feed. A running subscription of that name
    /// continues from there. Errors: those of `clear`; VALIDATION_FAILED.
    Result<Done> rebuild(const std::string& name,
                         const std::function<Result<Done>(Transaction&)>& clear);
    /// The events that this subscription has set aside, past position `after`; at most 100.
    Result<std::vector<ParkedEvent>> parked(const std::string& name, std::uint64_t after = 0);
    /// Removes a set-aside event from the list. Returns whether it was there.
    Result<bool> unpark(const std::string& name, std::uint64_t position);
    /// For consumers that follow the feed without a Subscription. Errors: VALIDATION_FAILED.
    Result<Checkpoint> checkpoint(const std::string& name);
    /// Moves the checkpoint from `previous` to `next`. Errors: LEASE_LOST if a greater token was
    /// seen; CHECKPOINT_CONFLICT, FEED_DIVERGED, VALIDATION_FAILED.
    Result<Checkpoint> save_checkpoint(const std::string& name, const Checkpoint& next,
                                       std::uint64_t previous);

    /// The newest snapshot; empty if there is none. Errors: VALIDATION_FAILED.
    Result<std::optional<Snapshot>> snapshot(const StreamId& stream);
    /// Returns false if a snapshot at least as new is stored. Errors: AGGREGATE_NOT_FOUND,
    /// VALIDATION_FAILED.
    Result<bool> save_snapshot(const StreamId& stream, const Snapshot& snapshot);

    // Errors of the functions below: AGGREGATE_NOT_FOUND, STREAM_DELETED.
    /// The stream can be read, but not appended to until it is restored.
    Result<Done> archive(const StreamId& stream);
    /// Undoes `archive`.
    Result<Done> restore(const StreamId& stream);
    /// Erases the data before `version`. VALIDATION_FAILED if no snapshot covers the erased events.
    Result<Done> truncate(const StreamId& stream, std::uint64_t version);
    /// Erases all data and closes the stream permanently.
    Result<Done> remove(const StreamId& stream);
    /// Replaces the data of one event by `data`.
    Result<Done> redact(const StreamId& stream, std::uint64_t version, const std::string& data);

    /// A new, unique UUID.
    [[nodiscard]] std::string fresh_id();

private:
    friend class Engine;
    friend class Outcomes;
    friend class Subscription;
    struct Parts;
    explicit Streams(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
    std::shared_ptr<Parts> parts_;
};

}  // namespace sundial::embedding

#pragma GCC visibility pop
