#pragma once

#include <cstddef>
#include <functional>

#include "application/ports/store.hpp"
#include "application/ports/wakeups.hpp"

namespace sundial {

/// Lets go the events that wait for an endpoint that is enabled, or for a handler. In batches: each
/// is a transaction of its own, so repeating it after a crash loses nothing.
class UnparkEvents {
public:
    UnparkEvents(Store& store, Wakeups& wakeups) : store_(store), wakeups_(wakeups) {}
    /// Those of one endpoint; none if it is disabled. Returns how many.
    std::size_t run(EndpointId endpoint);
    /// Those that wait, not parked, for an obstacle that is gone.
    std::size_t hasten(EndpointId endpoint, Obstacle obstacle);
    /// Those of every endpoint: at start, for what a crash left behind.
    std::size_t run_all();
    /// Those without an endpoint, which came due where no handler of their type was.
    std::size_t run_handlers();

private:
    /// `release(tx, limit)` says how many it let go.
    using Release = std::function<std::size_t(Transaction&, std::size_t)>;
    std::size_t in_batches(const Release& release);
    std::size_t while_enabled(EndpointId endpoint, const Release& release);

    Store& store_;
    Wakeups& wakeups_;
};

}  // namespace sundial
