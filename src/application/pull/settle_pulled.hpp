#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "application/observation/observer.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/wakeups.hpp"
#include "base/log.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"

namespace sundial {

/// Why a worker could not do its work.
struct WorkFailure {
    std::string reason{};  // for people; kept as storable_reason has it
    bool retry = true;     // by the endpoint's retry policy; otherwise it is FAILED at once
};

struct SettlePulledPorts {
    Store& store;
    EventQueue& queue;
    Random& random;
    base::Log& log;
    EngineObserver& observer;
    Wakeups& wakeups;
};

/// What a pull worker says of a claim, by the event and the version that the claim returned. Said
/// again, since its answer was lost, it is answered as before. Errors of all: NotFound;
/// InvalidStateTransition where no worker holds the event; LeaseLost where another claim, or
/// another answer to this one, came first: then nothing of it has changed, but a try that was LOST
/// is LATE from now on. They return the event as it is then. Thread-safe.
class SettlePulled {
public:
    explicit SettlePulled(SettlePulledPorts ports) : ports_(ports) {}

    [[nodiscard]] Result<Event> complete(std::string_view event, Version held);
    [[nodiscard]] Result<Event> fail(std::string_view event, Version held,
                                     const WorkFailure& failure);
    /// Given back: no try is spent, and another worker may have it at once.
    [[nodiscard]] Result<Event> release(std::string_view event, Version held);
    /// The lease ends `lease` from now. Changes no version. Also ValidationFailed.
    [[nodiscard]] Result<Event> extend(std::string_view event, Version held,
                                       std::chrono::microseconds lease);

private:
    struct Claim;
    [[nodiscard]] Result<Claim> find(std::string_view event, Version held, std::string_view action);
    [[nodiscard]] Result<Event> settle(const Claim& claim, Outcome outcome);
    [[nodiscard]] Result<Event> as_it_is(EventId id);

    SettlePulledPorts ports_;
};

}  // namespace sundial
