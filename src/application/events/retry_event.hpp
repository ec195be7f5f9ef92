#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/wakeups.hpp"
#include "domain/event.hpp"

namespace sundial {

/// The key of the retry: the event's own, so that the receiver recognises it; or one derived from
/// the event's id, so that the receiver accepts it as new, but only once.
enum class RetryKey : std::uint8_t { same, fresh };

/// Retries one event inside a transaction; the retry is claimable after `delay`. The FAILED event
/// is marked as dismissed, so it is no longer a dead letter. Errors: NotFound,
/// InvalidStateTransition, DuplicateIdempotencyKey, which names the event that has the key.
[[nodiscard]] Result<Event> retry_in(Transaction& tx, Ids& ids, EventId id, RetryKey key,
                                     std::chrono::microseconds delay = {});

/// Makes a new event, claimable at once, of a FAILED event; with a fresh key also of a COMPLETED
/// one. If two callers retry the same event, the second gets an error that names the first one's
/// event.
class RetryEvent {
public:
    RetryEvent(Store& store, Ids& ids, Wakeups& wakeups)
        : store_(store), ids_(ids), wakeups_(wakeups) {}
    /// Errors: NotFound, InvalidStateTransition, DuplicateIdempotencyKey.
    [[nodiscard]] Result<Event> run(std::string_view id, RetryKey key);

private:
    Store& store_;
    Ids& ids_;
    Wakeups& wakeups_;
};

}  // namespace sundial
