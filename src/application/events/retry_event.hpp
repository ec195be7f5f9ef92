#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "application/audit/action_audit.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"
#include "domain/event.hpp"

namespace sundial {

/// The key of the retry: the event's own, so that the receiver recognises it; or one derived from
/// the event's id, so that the receiver accepts it as new, but only once.
enum class RetryKey : std::uint8_t { same, fresh };

struct RetriedEvent {
    Event event;  // the new event; or the same event, if it waited for its next attempt
    bool is_new = false;
};

/// Retries one event inside a transaction; it is claimable after `delay`, if not before. A FAILED
/// event is marked as dismissed, so it is no longer a dead letter. Errors: as of RetryEvent.
[[nodiscard]] EventResult<RetriedEvent> retry_in(Transaction& tx, Ids& ids, EventId id,
                                                 RetryKey key, const ChangedBy& by,
                                                 std::chrono::microseconds delay = {});

/// Attempts an event again, at once:
/// - An event that waits for its next attempt waits no longer. It still waits for an open circuit,
///   a limit or an endpoint.
/// - A FAILED event gets a new event under the same key; with a fresh key also a COMPLETED one. If
///   two callers retry the same event, the second gets an error that names the first one's event.
/// - A CANCELLED occurrence of a schedule gets a new event too, for its target.
class RetryEvent {
public:
    RetryEvent(Store& store, Ids& ids, Wakeups& wakeups)
        : store_(store), ids_(ids), wakeups_(wakeups) {}
    /// Errors: NotFound, also for an endpoint that was deleted, InvalidStateTransition,
    /// DuplicateIdempotencyKey, which names the event that has the key.
    [[nodiscard]] EventResult<RetriedEvent> run(std::string_view id, RetryKey key,
                                                const Caller& caller);

private:
    Store& store_;
    Ids& ids_;
    Wakeups& wakeups_;
};

}  // namespace sundial
