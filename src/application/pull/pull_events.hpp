#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "application/delivery/deliver_event.hpp"
#include "application/delivery/worker.hpp"
#include "application/observation/observer.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/pull_queue.hpp"
#include "application/ports/store.hpp"
#include "application/ports/wakeups.hpp"
#include "application/schedules/plan_successors.hpp"
#include "base/log.hpp"
#include "domain/event.hpp"

namespace sundial {

/// What a pull worker asks for.
struct WorkOrder {
    std::string endpoint;  // id or ext:…
    std::string worker;    // the name that it gives itself
    std::size_t limit = 10;
    std::chrono::microseconds lease{std::chrono::seconds{30}};
};

/// What it gets: claimed for it, each to be answered under the version that it has here.
struct Work {
    EndpointId endpoint;
    std::vector<Event> events;  // most urgent first
};

struct PullPorts {
    Store& store;
    PullQueue& pull_queue;
    EventQueue& queue;
    PlanSuccessors& plan;
    DeliverEvent& deliver;
    const MonotonicClock& monotonic;
    Random& random;
    base::Log& log;
    EngineObserver& observer;
    Wakeups& wakeups;
};

/// The most of one order, and the shortest and longest lease.
inline constexpr std::size_t most_work = 100;
inline constexpr std::chrono::seconds shortest_work_lease{1};
inline constexpr std::chrono::hours longest_work_lease{12};
/// What is wrong with a lease, at `/lease`.
[[nodiscard]] std::optional<FieldError> refuse_work_lease(std::chrono::microseconds lease);

/// Claims what is due at a PULL endpoint for one of its workers, as an instance claims for itself:
/// successors are planned first, and what must not be worked on now is settled or given back.
/// Thread-safe.
class PullEvents {
public:
    PullEvents(InstanceId instance, PullPorts ports) : instance_(instance), ports_(ports) {}

    /// At once, so perhaps nothing. Errors: ValidationFailed, NotFound, EndpointDisabled.
    [[nodiscard]] Result<Work> run(const WorkOrder& order);
    /// Nobody took it: it is free again, no try spent. Where that cannot be written, which is
    /// logged, it is left to its lease.
    void take_back(std::span<const Event> events);

private:
    [[nodiscard]] Result<EndpointId> admit(const WorkOrder& order);
    /// Adds to `all` what it gets, though it throw on the way.
    void claim(EndpointId endpoint, const WorkOrder& order, std::size_t limit,
               std::vector<ClaimedEvent>& all);
    void let_go(std::span<const ClaimedEvent> claimed);
    /// Those of `claimed` that can be worked on now.
    [[nodiscard]] std::vector<Event> sort_out(std::span<const ClaimedEvent> claimed);
    /// Events whose successors cannot be planned are `left`; nobody else waits for them.
    [[nodiscard]] Planning plan(std::span<const Event> claimed, std::vector<EventId>& left);
    void settle(std::vector<Settled> settled);
    void give_back(std::span<const GivenBack> given_back, std::span<const Event> parked);
    /// Leaves them to the lease of what they are `of` where it fails.
    void try_to_give_back(std::span<const GivenBack> given_back, std::string_view of);

    InstanceId instance_;
    PullPorts ports_;
};

}  // namespace sundial
