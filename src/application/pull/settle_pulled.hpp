#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "application/observation/observer.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"
#include "base/log.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"

namespace sundial {

/// The reason why a worker could not process an event.
struct WorkFailure {
    std::string reason{};  // for people; stored as storable_reason returns it
    bool retry = true;     // by the endpoint's retry policy; if false, the event is FAILED at once
};

struct SettlePulledPorts {
    Store& store;
    EventQueue& queue;
    Random& random;
    base::Log& log;
    EngineObserver& observer;
    Wakeups& wakeups;
};

/// Settles a pull worker's claim, named by the event and the version that the claim returned. A
/// repeated call after a lost answer gets the same answer. Errors of all: NotFound;
/// InvalidStateTransition if no worker holds the event; LeaseLost if another claim, or another
/// answer to this one, came first. Then the event is unchanged, but a LOST attempt becomes LATE.
/// All return the current event. Thread-safe.
class SettlePulled {
public:
    explicit SettlePulled(SettlePulledPorts ports) : ports_(ports) {}

    [[nodiscard]] PullResult<Event> complete(std::string_view event, Version held);
    [[nodiscard]] PullResult<Event> fail(std::string_view event, Version held,
                                         const WorkFailure& failure);
    /// Uses no attempt, and another worker may claim the event at once, or from `until` on.
    [[nodiscard]] PullResult<Event> release(std::string_view event, Version held,
                                            std::optional<Instant> until = std::nullopt);
    /// The lease ends `lease` from now. Changes no version. Errors: also ValidationFailed.
    [[nodiscard]] PullResult<Event> extend(std::string_view event, Version held,
                                           std::chrono::microseconds lease);

private:
    struct Claim;
    [[nodiscard]] PullResult<Claim> find(std::string_view event, Version held,
                                         std::string_view action);
    [[nodiscard]] PullResult<Event> settle(const Claim& claim, Outcome outcome);
    [[nodiscard]] PullResult<Event> as_it_is(EventId id);
    /// Reports the conflict. For a claim whose end is known before the queue is called.
    [[nodiscard]] LeaseLost lease_lost(EventId id, Version held, std::string_view operation);

    SettlePulledPorts ports_;
};

}  // namespace sundial
