#pragma once

#include "contract/storage.hpp"

namespace sundial {

/// What people and plans do with events: an EventRepository.
class EventRepositoryContract : public StorageTest {
protected:
    /// What `act(tx.events())` returns, committed.
    template <class Act>
    auto on_events(Act act) {
        return write([&](Transaction& tx) { return act(tx.events()); });
    }
    Result<void> add(const Event& event) {
        return on_events([&](EventRepository& events) { return events.add(event); });
    }
    /// Locks the live event and replaces it with `next(event, now)`, an update.
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
    /// Stored and FAILED, refused by its receiver.
    Event failed(const Event& event);
};

/// EventRepository::list, walk and dead_letters.
class EventListContract : public EventRepositoryContract {
protected:
    std::vector<EventId> ids_like(const EventQuery& query);
    /// Every row, read in pages of `limit`.
    std::vector<Event> walk(EventQuery query, std::size_t limit);
    /// Until now, through all.
    EventWalk a_walk(EventWalk::Through through);
    /// What a walk comes by, in parts of `limit`; `count` says as many.
    std::vector<EventId> all_of(EventWalk walk, std::size_t limit);
    std::vector<EventId> all_of(EventWalk::Through through, EventQuery filter);
};

/// The place of `event` in a list that is sorted so.
[[nodiscard]] PageKey place_of(const Event& event, EventQuery::Sort sort);

}  // namespace sundial
