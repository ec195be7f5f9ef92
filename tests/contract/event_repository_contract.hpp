#pragma once

#include <chrono>

#include "contract/storage.hpp"

namespace sundial {

/// Operations of people and schedules on events: an EventRepository.
class EventRepositoryContract : public StorageTest {
protected:
    /// A wall time with the resolution of stored times.
    static constexpr WallTime nine_oclock{std::chrono::local_days{std::chrono::year{2027} / 1 / 6} +
                                          std::chrono::hours{9} + std::chrono::microseconds{250}};
    /// Runs `act(tx.events())`, commits, and returns its result.
    template <class Act>
    auto on_events(Act act) {
        return write([&](Transaction& tx) { return act(tx.events()); });
    }
    Result<Attempt, DuplicateIdempotencyKey> add(const Event& event) {
        return on_events([&](EventRepository& events) { return events.add(event); });
    }
    /// Locks the live event and updates it to `next(event, now)`.
    template <class Next>
    Event change(EventId id, Next next) {
        return write([&](Transaction& tx) {
            const Event changed = next(tx.events().lock(id).value(), tx.now()).value();
            tx.events().update(changed);
            return changed;
        });
    }
    Event cancelled(EventId id) {
        return write([&](Transaction& tx) {
            const auto event = cancel(tx.events().lock(id).value(), tx.now(), "by hand").value();
            tx.events().finish(event);
            return event;
        });
    }
    /// Stores the event and makes it FAILED: its receiver refuses it.
    Event failed(const Event& event);
};

/// EventRepository::list, walk and dead_letters.
class EventListContract : public EventRepositoryContract {
protected:
    std::vector<EventId> ids_like(const EventQuery& query);
    /// All rows, read in pages of `limit`.
    std::vector<Event> walk(EventQuery query, std::size_t limit);
    /// A walk until now, without a filter.
    EventWalk a_walk(EventWalk::Through through);
    /// The events of a walk, read in parts of `limit`. Checks that `count` agrees.
    std::vector<EventId> all_of(EventWalk walk, std::size_t limit);
    std::vector<EventId> all_of(EventWalk::Through through, EventQuery filter);
};

/// Pages of lists by execution, as the API reads them.
class ExecutionListContract : public EventListContract {
protected:
    /// 40 events that were executed at various times, 13 of them in one instant; five cancelled
    /// ones, and six that are pending.
    ExecutionListContract();
    /// The events of all pages. Checks that each page has a place to continue from.
    std::vector<EventId> walk_pages(EventQuery query);
    /// The same in one page.
    std::vector<EventId> all_like(EventQuery query);

    int pages = 0;  // of the latest walk
};

/// EventRepository::count_planned.
class PlannedCountContract : public EventRepositoryContract {
protected:
    /// By the hour, a day from noon on.
    static PlannedQuery of_a_day(PlannedBy by, std::size_t most = 5'000);
    PlannedCounts count(const PlannedQuery& query);
    void paused(EventId id);
};

/// EventRepository::list_attempts.
class AttemptListContract : public EventRepositoryContract {
protected:
    Page<EndedAttempt> list(const AttemptQuery& query) {
        return read([&](Transaction& tx) { return tx.events().list_attempts(query); });
    }
    static PageKey place_of(const EndedAttempt& ended) {
        return {std::to_string(ended.ended_at.time_since_epoch().count()),
                ended.record.event.value};
    }
};

/// The page key of `event` in a list with this order.
[[nodiscard]] PageKey place_of(const Event& event, EventQuery::Sort sort);

}  // namespace sundial
