#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/event.hpp"
#include "domain/event_status.hpp"
#include "domain/ids.hpp"
#include "domain/outcome.hpp"
#include "domain/time/types.hpp"

namespace sundial {

enum class DeadLettersBy : std::uint8_t { reason, endpoint };

/// Dead letters with the same reason or the same endpoint.
struct DeadLetterGroup {
    std::string reason{};  // if grouped by reason
    /// If grouped by endpoint; events without one form a group too.
    std::optional<EndpointId> endpoint{};
    std::uint64_t count = 0;
    Instant oldest{}, newest{};      // when they FAILED
    std::vector<EventId> samples{};  // the newest
    friend bool operator==(const DeadLetterGroup&, const DeadLetterGroup&) = default;
};

struct DeadLetters {
    std::uint64_t counted = 0;
    bool complete = true;                 // false: older dead letters were not counted
    std::vector<DeadLetterGroup> groups;  // the largest first; of equal groups the newest first
};

/// Counting millions of rows takes too long, so only the newest are examined.
inline constexpr std::size_t max_dead_letters = 100'000;
inline constexpr std::size_t max_dead_letter_groups = 100;
inline constexpr std::size_t max_dead_letter_samples = 5;

/// Groups dead letters in the order in which a storage returns them.
class DeadLetterCounters {
public:
    explicit DeadLetterCounters(DeadLettersBy by) : by_(by) {}
    /// Call for the newest first. Dead letters beyond `max_dead_letters` only clear `complete`.
    void add(const std::string& reason, std::optional<EndpointId> endpoint, Instant failed_at,
             EventId id);
    [[nodiscard]] DeadLetters result() &&;

private:
    using Key = std::pair<std::string, std::optional<EndpointId>>;
    DeadLettersBy by_;
    DeadLetters letters_{};
    std::map<Key, DeadLetterGroup> groups_;
};

enum class PlannedBy : std::uint8_t { nothing, zone, endpoint };

/// A count of PENDING events by the time of their target.
struct PlannedQuery {
    Instant from{}, to{};  // of `due`: from inclusive, to exclusive
    PlannedBy by = PlannedBy::nothing;
    Instant first_slot{};  // `from` or earlier
    std::chrono::seconds slot{3600};
    std::size_t most = 0;  // events to read, in order of due and id
    /// The slot of an instant, by its beginning.
    [[nodiscard]] Instant slot_of(Instant at) const {
        return first_slot + (at - first_slot) / slot * slot;
    }
};

/// Planned events of one zone or endpoint with targets in one slot.
struct PlannedCount {
    std::string zone{};                    // if counted by zone
    std::optional<EndpointId> endpoint{};  // if counted by endpoint; empty: without one
    Instant slot{};
    std::uint64_t count = 0;
    friend bool operator==(const PlannedCount&, const PlannedCount&) = default;
};

struct PlannedCounts {
    std::vector<PlannedCount> counts{};  // the first event of each in order of due
    /// Those of the counted events that rules have planned without a user, in any order.
    std::vector<EventId> of_rules{};
    /// If there are more events: the due of the last one that was read.
    std::optional<Instant> end{};
};

/// Counts planned events in the order in which a storage returns them.
class PlannedCounter {
public:
    explicit PlannedCounter(const PlannedQuery& query) : query_(query) {}
    /// The values of a PENDING event that a count needs.
    struct Planned {
        EventId id;
        Instant due, target;
        bool paused;   // waits for its schedule; read, but not counted
        bool of_rule;  // planned by a rule without a user
        std::string_view zone;
        std::optional<EndpointId> endpoint{};
    };
    /// Call in order of due and id. An event beyond `most` only sets `end`.
    void add(const Planned& event);
    [[nodiscard]] PlannedCounts result() && { return std::move(counts_); }

private:
    PlannedQuery query_;
    PlannedCounts counts_{};
    std::map<std::tuple<Instant, std::string, std::optional<EndpointId>>, std::size_t> places_{};
    std::size_t read_ = 0;
    Instant last_{};
};

struct EventQuery {
    /// `executed_at` is the instant of COMPLETED or FAILED. Rows without the value come last in
    /// both directions; their PageKey's value is empty. `created_at` sorts by id, without a value.
    enum class Sort : std::uint8_t { target, executed_at, created_at, lateness };
    /// Any of them; empty: all. The lists below work the same way.
    std::vector<EventStatus> statuses;
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
    std::optional<std::string> reason;  // prefix of the reason of a FAILED or CANCELLED event
    std::vector<WaitReason> waiting_for{};
    Sort sort = Sort::target;
    PageRequest page;
    /// About how many rows a page may pass, where the order has an index and no filter has a better
    /// one (see `passes_rows`), greater than 0. The page then ends, perhaps without an item, and
    /// has more, even if these rows were the last ones. Empty: unbounded.
    std::optional<std::size_t> max_passed{};
};

/// Whether the events that match may be rare among those that a list reads in its order.
[[nodiscard]] inline bool passes_rows(const EventQuery& query) {
    const bool in_order =
        query.sort == EventQuery::Sort::target || query.sort == EventQuery::Sort::created_at;
    const bool found_otherwise = query.user || query.key;
    const bool filtered = !query.priorities.empty() || !query.types.empty() ||
                          !query.zones.empty() || query.schedule || query.endpoint ||
                          query.executed_from || query.executed_to || query.late_execution ||
                          query.dismissed || query.prefix || query.reason ||
                          !query.waiting_for.empty() ||
                          (query.sort == EventQuery::Sort::created_at &&
                           (!query.statuses.empty() || query.target_from || query.target_to));
    return in_order && !found_otherwise && filtered;
}

/// The query whose page has the counted events, and whether there are more.
[[nodiscard]] inline EventQuery to_count(const EventQuery& query, std::size_t most) {
    EventQuery counted = query;
    counted.sort = EventQuery::Sort::target;
    counted.page = {};
    counted.page.limit = most;
    counted.max_passed = most;
    return counted;
}

/// Events of one schedule, for one user or for none.
struct LiveQuery {
    ScheduleId schedule;
    std::optional<UserId> user;
    std::optional<Origin> origin{};  // empty: any
    std::optional<Instant> due_before{}, due_after{};
};

/// One page of the events that match a filter. A caller can visit all of them, however many there
/// are, and change them on the way.
struct EventWalk {
    enum class Through : std::uint8_t {
        live,   // created up to `until`; in an order chosen by the storage
        failed  // FAILED up to `until`; in the order of that instant and the id
    };
    Through through = Through::failed;
    EventQuery filter;  // its sort and page are ignored
    Instant until;
    /// `limit`, and the last event of the previous page with the instant of its failure (empty if
    /// live). Ascending.
    PageRequest page;
};

/// The storage's answer about a new event.
struct AddedEvent {
    Attempt attempt;  // at which it starts
    Instant created_at;
    friend bool operator==(const AddedEvent&, const AddedEvent&) = default;
};

/// An attempt that has ended, in a list of attempts of many events.
struct EndedAttempt {
    AttemptRecord record;
    Instant ended_at;  // when its result was stored
    friend bool operator==(const EndedAttempt&, const EndedAttempt&) = default;
};

/// Attempts that have ended, the latest first; of one instant in descending order of event ids.
struct AttemptQuery {
    std::optional<EventId> event{};
    std::optional<EndpointId> endpoint{};
    std::vector<AttemptOutcome> outcomes{};  // any of them; empty: all
    std::vector<int> status_codes{};
    std::optional<Instant> from{}, to{};  // of `ended_at`: from inclusive, to exclusive
    PageRequest page{};                   // the value is `ended_at`; `descending` is ignored
    /// About how many attempts a page may pass. The page then ends, perhaps without an item.
    std::size_t max_passed = 4'000;
};

/// The attempts that ended in [from, to).
struct AttemptStretch {
    std::size_t passed = 0;               // all of them, whether they match or not
    std::vector<EndedAttempt> matches{};  // beyond the place of the page, at most `limit` + 1
};
/// Reads a stretch of time. If it has more than `most` attempts, `passed` is at least `most` + 1
/// and `matches` is ignored.
using ReadStretch = std::function<AttemptStretch(Instant from, Instant to, std::size_t most)>;

/// The page of an attempt list, for a storage that finds the attempts of a stretch of time but has
/// no index in the order of the list, because every settlement would pay for it. The stretches grow
/// while they have few attempts and shrink while they have too many, so that a page reads about
/// `max_passed` attempts at most.
[[nodiscard]] Page<EndedAttempt> latest_attempts(const AttemptQuery& query, Instant now,
                                                 const ReadStretch& read);

/// Events, live and finished, inside one transaction, for the actions of users and of planning.
/// EventQueue has those of scheduler instances.
class EventRepository {
public:
    virtual ~EventRepository() = default;
    /// Stores a PENDING event and its key, both or neither. A key that is known but free is taken
    /// over. Returns the `attempt` that the event starts at: 0, or that of the key's former event,
    /// because a receiver that knows the key may ignore requests with a number that it has seen.
    /// Errors: DuplicateIdempotencyKey, which names the key's current event (with status COMPLETED
    /// if that event was erased).
    virtual Result<Attempt, DuplicateIdempotencyKey> add(const Event& event) = 0;
    /// The same, created now, whatever the event's `created_at` and `updated_at` are. A caller that
    /// does not need the time before saves a round trip.
    virtual Result<AddedEvent, DuplicateIdempotencyKey> add_now(const Event& event) = 0;
    /// The same for many events, with one independent result for each, in their order. If two
    /// events have the same key, the first is stored. Unless overridden, adds one after another.
    virtual std::vector<Result<Attempt, DuplicateIdempotencyKey>> add_each(
        std::span<const Event> events);
    /// The same, but a known key counts as success and changes nothing. Returns the number of new
    /// events. Unless overridden, adds one after another.
    virtual std::size_t add_new(std::span<const Event> events);
    /// Live or finished.
    virtual std::optional<Event> find(EventId id) = 0;
    /// A live event. No claim and no other change touches it until the transaction ends. Waits for
    /// a claim under way.
    virtual std::optional<Event> lock(EventId id) = 0;
    /// All live events of the user, locked as above.
    virtual std::vector<Event> lock_of_user(UserId user) = 0;
    /// At most `limit` live events of the schedule that were planned by an earlier version than
    /// `version` and are PENDING, waiting for a retry or waiting for their endpoint. Locked as
    /// above; in order of id, after `after`.
    virtual std::vector<Event> lock_behind(ScheduleId schedule, Version version,
                                           std::optional<EventId> after, std::size_t limit) = 0;
    /// The number of such events, whatever their id.
    virtual std::uint64_t count_behind(ScheduleId schedule, Version version) = 0;
    /// At most `limit` live events of the endpoint that are not claimed, in any order. Locks
    /// nothing.
    virtual std::vector<Event> unclaimed_of_endpoint(EndpointId endpoint, std::size_t limit) = 0;
    /// The number of live events of the endpoint, claimed or not.
    virtual std::uint64_t count_live_of_endpoint(EndpointId endpoint) = 0;
    /// Replaces a locked live event that is not claimed. `changed.version` is the row's version
    /// plus one.
    virtual void update(const Event& changed) = 0;
    /// The same, and replaces the key `old_key` with `changed.key`. Errors:
    /// DuplicateIdempotencyKey; then nothing has changed.
    virtual Result<void, DuplicateIdempotencyKey> update_key(const Event& changed,
                                                             const IdempotencyKey& old_key) = 0;
    /// Moves a locked live event to history in its final state. The key of a CANCELLED event
    /// becomes free for a new event, unless the event is an occurrence of a schedule.
    virtual void finish(const Event& finished) = 0;
    /// The same for an event that a policy drops. Its key becomes free again, so that a backfill
    /// can create the occurrence.
    virtual void finish_dropped(const Event& cancelled) = 0;
    /// Replaces a finished event's `dismissed_at`. The key of a dismissed event is free for a new
    /// event, unless the event is an occurrence of a schedule. Errors: InvalidStateTransition if it
    /// has a later version than `held` or does not exist.
    virtual Result<void, InvalidStateTransition> update_dismissed(const Event& changed,
                                                                  Version held) = 0;
    /// Stores `fresh` and moves its key from the FAILED or CANCELLED event that `fresh.retry_of`
    /// names, by compare-and-set. A key that a key exchange has left without an event is taken
    /// over. Errors: DuplicateIdempotencyKey, which names the event that has the key now.
    virtual Result<void, DuplicateIdempotencyKey> add_retry(const Event& fresh) = 0;
    /// Erases all events of the user, live and finished, with their attempts. Keys stay. A claimed
    /// event is delivered as planned: it stays, without its user, and its version does not change.
    virtual void erase_of_user(UserId user) = 0;
    /// Removes the user from finished and claimed events. The events stay and their versions do not
    /// change.
    virtual void forget_user(UserId user) = 0;
    /// Makes parked events of the endpoint (waiting for it, claimable_at = never) claimable now, at
    /// most `limit` of them. Returns their number. nullopt: events without an endpoint.
    virtual std::size_t unpark(std::optional<EndpointId> endpoint, std::size_t limit) = 0;
    /// The same for events of an endpoint that wait for a retry, a circuit or a limit.
    virtual std::size_t expedite(EndpointId endpoint, WaitReason reason, std::size_t limit) = 0;
    /// The PENDING events without a user that the rules of the schedules have planned, in any
    /// order: one for each schedule whose chain goes on, rarely more. Locks nothing.
    virtual std::vector<Event> planned_by_rule(std::span<const ScheduleId> schedules) = 0;
    /// PENDING events, except those that wait for their schedule, by the slot of their target.
    virtual PlannedCounts count_planned(const PlannedQuery& query) = 0;
    /// Whether a live event matches.
    virtual bool has_live(const LiveQuery& query) = 0;
    /// A page also ends when the payloads of its items reach `max_page_bytes`.
    virtual Page<Event> list(const EventQuery& query) = 0;
    /// The number of events that match, whatever the order and the page of `query`. Stops at
    /// `most` matches, and where a list passes `most` events that do not match (see `passes_rows`).
    virtual BoundedCount count_like(const EventQuery& query, std::size_t most) = 0;
    /// The number of finished events, CANCELLED ones too, that ended in [from, to); without `to` of
    /// those that ended since. `most` + 1 if there are more than `most`.
    virtual std::size_t count_ended(Instant from, std::optional<Instant> to, std::size_t most) = 0;
    /// The same without CANCELLED events, which must not be many: they are read, too.
    virtual std::size_t count_executed(Instant from, std::optional<Instant> to,
                                       std::size_t most) = 0;
    /// Locks nothing.
    virtual std::vector<Event> walk(const EventWalk& walk) = 0;
    /// The number of events in all pages of the walk.
    virtual std::uint64_t count(const EventWalk& walk) = 0;
    virtual DeadLetters dead_letters(DeadLettersBy by) = 0;
    /// In order of number. The successful attempt of a COMPLETED event, which its history row
    /// records, is the last.
    virtual std::vector<AttemptRecord> attempts_of(EventId id) = 0;
    /// Attempts of all events, with the successful ones that history rows record.
    virtual Page<EndedAttempt> list_attempts(const AttemptQuery& query) = 0;
};

}  // namespace sundial
