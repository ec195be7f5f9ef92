#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "application/delivery/destination.hpp"
#include "application/delivery/handlers.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/delivery.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/shared_event.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/schedules/plan_successors.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"

namespace sundial {

/// How events get to their receivers.
struct Deliveries {
    const EndpointKinds& kinds;      // those with an endpoint
    Delivery* in_process = nullptr;  // required once `handlers` has an entry
    const Handlers& handlers;
    std::chrono::microseconds handler_timeout{std::chrono::seconds{10}};
    /// Maximum number of events held for the handlers that share their threads.
    std::size_t shared_handlers = 64;
    double trace_share = 1;  // sampled, of the traces that begin with an event
};

/// The outcome of an event whose template could not be rendered: refused permanently, without a
/// request to its receiver.
[[nodiscard]] Outcome without_payload();

/// Finds the destination of each claimed event, and starts attempts.
class DeliverEvent {
public:
    DeliverEvent(Store& store, const TimeZones& zones, Ids& ids, Deliveries deliveries)
        : store_(store), zones_(zones), ids_(ids), deliveries_(deliveries) {}

    /// The lanes of the events that this program delivers. It leaves the others to other instances.
    [[nodiscard]] std::vector<Lane> lanes() const;
    /// The pools of handlers, each with its limit.
    [[nodiscard]] std::vector<HandlerPool> pools() const {
        return deliveries_.handlers.pools(deliveries_.shared_handlers);
    }

    /// Reads once for the whole batch. The events are in these lanes. Throws Unavailable.
    [[nodiscard]] std::vector<Decision> decide(std::span<const SharedEvent> claimed,
                                               const Planning& planning);

    /// Starts the attempts. Each `done` runs exactly once, on any thread, perhaps before this
    /// returns.
    void start(std::vector<Delivery::Starting> attempts);

    /// The lease of an attempt under way is lost.
    void abandon(const Event& event);

    /// Releases those of `parked` whose obstacle is gone. Call it after parking them; this closes a
    /// race. A caller that enables an endpoint, resumes a schedule or gives it an endpoint commits
    /// that change first and then frees parked events, but it does not see events that are still
    /// claimed. If the commit came before this read, this call sees the change and frees the event.
    /// If it came later, the event was already parked and the caller finds it. Returns the number
    /// of freed events. Throws Unavailable; repeating the call does no harm.
    std::size_t release_if_possible(std::span<const SharedEvent> parked);

    /// The receiver is gone permanently, so its other events wait from now on. Returns whether this
    /// call disabled the endpoint.
    bool disable(EndpointId endpoint, const std::string& reason);

private:
    /// Events of one part of the storage.
    std::size_t release_part(std::span<const SharedEvent> parked);
    void send(Delivery::Starting one);
    [[nodiscard]] std::string target_time(const Event& event) const;

    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Deliveries deliveries_;
};

}  // namespace sundial
