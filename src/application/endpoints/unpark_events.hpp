#pragma once

#include <cstddef>
#include <functional>

#include "application/ports/event_queue.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// Releases events that wait for an enabled endpoint or for a handler. Each batch is a transaction
/// of its own, so repeating it after a crash loses nothing.
class UnparkEvents {
public:
    UnparkEvents(Store& store, Wakeups& wakeups) : store_(store), wakeups_(wakeups) {}
    /// The parked events of one endpoint; none if it is disabled. Returns their number.
    std::size_t run(EndpointId endpoint);
    /// Events that wait for a retry, or for a circuit or a limit that no longer keeps them.
    std::size_t expedite(EndpointId endpoint, WaitReason reason);
    /// Events of all endpoints: at start, for events that a crash left parked.
    std::size_t run_all();
    /// Events without an endpoint that came due when their type had no handler.
    std::size_t run_handlers();

private:
    /// `release(tx, limit)` returns how many events it released.
    using Release = std::function<std::size_t(Transaction&, std::size_t)>;
    std::size_t in_batches(const Release& release);
    std::size_t while_enabled(EndpointId endpoint, const Release& release);

    Store& store_;
    Wakeups& wakeups_;
};

}  // namespace sundial
