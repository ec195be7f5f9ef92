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
#include "application/requests/results.hpp"
#include "application/schedules/plan_successors.hpp"
#include "base/log.hpp"
#include "domain/event.hpp"

namespace sundial {

/// A pull worker's request for events.
struct WorkOrder {
    std::string endpoint;  // id or ext:…
    std::string worker;    // the worker's name for itself
    std::size_t limit = 10;
    std::chrono::microseconds lease{std::chrono::seconds{30}};
    std::optional<Instant> token_at{};  // from the Work of the same order, if it was repeated
};

/// Events claimed for a pull worker. The worker settles each under the version given here.
struct Work {
    EndpointId endpoint;
    std::vector<Event> events;  // most urgent first
    /// If there are none because of the endpoint's limits: no claim before then succeeds, unless
    /// another event of the endpoint ends.
    std::chrono::microseconds wait{0};
    /// Events wait for the endpoint's rate, whose next token is available then. The next claim
    /// passes this instant on, so the rate is fully used even if that claim comes a little later.
    std::optional<Instant> token_at{};
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

/// The maximum of one order, and the shortest and longest lease.
inline constexpr std::size_t max_work = 100;
inline constexpr std::chrono::seconds shortest_work_lease{1};
inline constexpr std::chrono::hours longest_work_lease{12};
/// The defect of a lease, at `/lease`.
[[nodiscard]] std::optional<FieldError> refuse_work_lease(std::chrono::microseconds lease);

/// Claims due events of a PULL endpoint for one of its workers, as an instance claims for itself:
/// successors are planned first, and events that must not be processed now are settled or released.
/// Thread-safe.
class PullEvents {
public:
    PullEvents(InstanceId instance, PullPorts ports) : instance_(instance), ports_(ports) {}

    /// Returns at once, perhaps with no events. Errors: ValidationFailed, NotFound,
    /// EndpointDisabled.
    [[nodiscard]] PullResult<Work> run(const WorkOrder& order);
    /// Releases events that no worker received, without using an attempt. If the release cannot be
    /// written, the events are left to their leases, and this is logged.
    void take_back(std::span<const Event> events);

private:
    [[nodiscard]] PullResult<Endpoint> admit(const WorkOrder& order);
    /// Claims what `work` has room for.
    void claim_and_log(const Endpoint& endpoint, const WorkOrder& order,
                       std::vector<ClaimedEvent>& all, Work& work);
    /// Adds the claimed events to `all`, even if it throws later.
    void claim(EndpointId endpoint, const WorkOrder& order, std::size_t limit,
               std::vector<ClaimedEvent>& all);
    /// Claims as many as the limits allow, in one transaction with the permits. Sets in `work` how
    /// long no further claim makes sense.
    void claim_within_limits(const WorkOrder& order, std::size_t limit,
                             std::vector<ClaimedEvent>& all, Work& work);
    void release_claimed(std::span<const ClaimedEvent> claimed);
    /// The events of `claimed` that can be processed now.
    [[nodiscard]] std::vector<Event> sort_out(std::span<const ClaimedEvent> claimed);
    /// Events whose successors cannot be planned go to `left`; the others are planned without them.
    [[nodiscard]] Planning plan(std::span<const SharedEvent> claimed, std::vector<EventId>& left);
    void settle(std::vector<Settled> settled);
    void release_claims(std::span<const ReleasedClaim> released,
                        std::span<const SharedEvent> parked);
    /// If the release fails, the events are left to their leases; `of` describes them in the log.
    void try_to_release(std::span<const ReleasedClaim> released, std::string_view of);

    InstanceId instance_;
    PullPorts ports_;
};

}  // namespace sundial
