#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/wakeups.hpp"
#include "domain/event.hpp"

namespace sundial {

/// Under which key: the event's own, so that a receiver knows it again, or one that derives from
/// the event's id, so that the receiver takes it for new, yet once only.
enum class RetryKey : std::uint8_t { same, fresh };

/// The retry of one event, inside a transaction, claimable after `delay`. What FAILED is no dead
/// letter any more: it is marked as dismissed. Errors: NotFound, InvalidStateTransition,
/// DuplicateIdempotencyKey, naming the event that has the key.
[[nodiscard]] Result<Event> retry_in(Transaction& tx, Ids& ids, EventId id, RetryKey key,
                                     std::chrono::microseconds delay = {});

/// Makes a new event, claimable at once, of one that FAILED; with a fresh key also of one that
/// COMPLETED. Of two who ask, the second is told who was first.
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
