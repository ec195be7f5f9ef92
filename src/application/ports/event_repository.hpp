#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "application/ports/dead_letters.hpp"
#include "application/ports/paging.hpp"
#include "domain/event.hpp"
#include "domain/obstacle.hpp"
#include "domain/outcome.hpp"

namespace sundial {

struct EventQuery {
    /// `executed_at` is when it was COMPLETED or FAILED. Rows without the value come last in both
    /// directions; their PageKey's value is empty. `created_at` goes by id, without a value.
    enum class Sort : std::uint8_t { target, executed_at, created_at, lateness };
    std::vector<EventStatus> statuses;  // any of them; empty: all. The same for the other lists
    std::vector<Priority> priorities;
    std::vector<std::string> types;
    std::vector<std::string> zones;
    std::optional<UserId> user;
    std::optional<ScheduleId> schedule;
    std::optional<EndpointId> endpoint;
    std::optional<Instant> target_from, target_to;  // from inclusive, to exclusive
    std::optional<Instant> executed_from, executed_to;
    std::optional<bool> late_execution;
    std::optional<bool> dismissed;
    std::optional<IdempotencyKey> key;
    std::optional<std::string> prefix;  // of id or key
    std::optional<std::string> reason;  // prefix of why it FAILED or was CANCELLED
    Sort sort = Sort::target;
    PageRequest page;
};

/// Events of one schedule, for one user or for nobody.
struct LiveQuery {
    ScheduleId schedule;
    std::optional<UserId> user;
    std::optional<Origin> origin{};  // empty: any
    std::optional<Instant> due_before{}, due_after{};
};

/// A part of the events that match a filter: for whoever goes through all of them, however many
/// there are, and changes them on the way.
struct EventWalk {
    enum class Through : std::uint8_t {
        live,   // those created until then; in an order of the storage's own
        failed  // those that had FAILED until then, by that moment and id
    };
    Through through = Through::failed;
    EventQuery filter;  // its sort and page say nothing here
    Instant until;
    /// `limit`, and the last event of the part before, at the instant that it FAILED (empty if
    /// live). Upwards.
    PageRequest page;
};

/// Events, live and finished, inside one transaction: all that people and plans do with them. What
/// scheduler instances do is EventQueue's.
class EventRepository {
public:
    virtual ~EventRepository() = default;
    /// Stores a PENDING event and its key, both or neither. Errors: DuplicateIdempotencyKey, naming
    /// the key's current event (with status COMPLETED if that was erased).
    virtual Result<void> add(const Event& event) = 0;
    /// The same for many, each for itself and answered in their order. Of two with one key the
    /// first is stored.
    virtual std::vector<Result<void>> add_each(std::span<const Event> events) = 0;
    /// The same where a known key is success and changes nothing. Returns how many were new.
    virtual std::size_t add_new(std::span<const Event> events) = 0;
    /// Wherever it lies, live or finished.
    virtual std::optional<Event> find(EventId id) = 0;
    /// A live event, kept from claims and changes until the transaction ends. Waits for a claim
    /// under way.
    virtual std::optional<Event> lock(EventId id) = 0;
    /// Every live event of the user, locked as above.
    virtual std::vector<Event> lock_of_user(UserId user) = 0;
    /// At most `limit` live events of the schedule that an earlier version than `version` planned
    /// and that nobody holds (PENDING or waiting), locked as above; by id, after `after`.
    virtual std::vector<Event> lock_behind(ScheduleId schedule, Version version,
                                           std::optional<EventId> after, std::size_t limit) = 0;
    /// How many those are, whatever their id.
    virtual std::uint64_t count_behind(ScheduleId schedule, Version version) = 0;
    /// Replaces a locked live event that nobody holds. `changed.version` is one more than the
    /// row's.
    virtual void update(const Event& changed) = 0;
    /// The same, and gives it another key: `changed.key` in place of `old_key`. Errors:
    /// DuplicateIdempotencyKey; then nothing has changed.
    virtual Result<void> update_key(const Event& changed, const IdempotencyKey& old_key) = 0;
    /// Moves a locked live event to history in its final state.
    virtual void finish(const Event& finished) = 0;
    /// The same for one that policy keeps from firing; its key is free again, so that the
    /// occurrence can be filled in by hand.
    virtual void finish_dropped(const Event& cancelled) = 0;
    /// Replaces a finished event's `dismissed_at`. Errors: InvalidStateTransition if it is past
    /// `held` or absent.
    virtual Result<void> update_dismissed(const Event& changed, Version held) = 0;
    /// Stores `fresh` and moves its key from the FAILED event that `fresh.retry_of` names, by
    /// compare-and-set; a key that an exchange has left to nobody is taken. Errors:
    /// DuplicateIdempotencyKey, naming the event that has the key now.
    virtual Result<void> add_retry(const Event& fresh) = 0;
    /// Erases every event of the user, live and finished, with their attempts; keys stay. A claimed
    /// one is delivered as planned: it stays, without its user, its version unchanged.
    virtual void erase_of_user(UserId user) = 0;
    /// Finished and claimed events of the user stay, without it, their versions unchanged.
    virtual void forget_user(UserId user) = 0;
    /// Parked events of the endpoint (waiting, claimable_at = never) become claimable now, at most
    /// `limit` of them; returns how many. nullopt: those without an endpoint.
    virtual std::size_t unpark(std::optional<EndpointId> endpoint, std::size_t limit) = 0;
    /// The same for those of an endpoint that wait for that obstacle.
    virtual std::size_t hasten(EndpointId endpoint, Obstacle obstacle, std::size_t limit) = 0;
    /// Whether a live event is such.
    virtual bool has_live(const LiveQuery& query) = 0;
    virtual Page<Event> list(const EventQuery& query) = 0;
    /// Nothing of it is locked.
    virtual std::vector<Event> walk(const EventWalk& walk) = 0;
    /// How many events all parts of the walk have.
    virtual std::uint64_t count(const EventWalk& walk) = 0;
    virtual DeadLetters dead_letters(DeadLettersBy by) = 0;
    /// By number. The success of a COMPLETED event, told by its history row, is the last of them.
    virtual std::vector<AttemptRecord> attempts_of(EventId id) = 0;
};

}  // namespace sundial
