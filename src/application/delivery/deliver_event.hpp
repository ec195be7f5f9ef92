#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "application/delivery/destination.hpp"
#include "application/delivery/handlers.hpp"
#include "application/ports/delivery.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/schedules/plan_successors.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"

namespace sundial {

/// Who brings events to their receivers.
struct Couriers {
    Delivery& webhook;
    Delivery& inbox;
    Delivery* in_process = nullptr;  // needed as soon as `handlers` has one
    const Handlers& handlers;
    std::chrono::microseconds handler_timeout{std::chrono::seconds{10}};
};

/// What becomes of an event whose template could not be rendered: refused for good, without a word
/// to its receiver.
[[nodiscard]] Outcome without_payload();

/// Which destination each claimed event has, and one try of it.
class DeliverEvent {
public:
    DeliverEvent(Store& store, const TimeZones& zones, Ids& ids, Couriers couriers)
        : store_(store), zones_(zones), ids_(ids), couriers_(couriers) {}

    /// In one read for the whole batch. Throws Unavailable.
    [[nodiscard]] std::vector<Decision> decide(std::span<const Event> claimed,
                                               const Planning& planning);

    struct Try {
        Event event;
        Destination destination;
        Instant now;
        std::function<void(Outcome)> done;
    };
    /// Starts them. Each `done` runs exactly once, on any thread, perhaps before this returns.
    void start(std::vector<Try> tries);

    /// The lease of a try under way is lost.
    void abandon(const Event& event);

    /// Lets those of `parked` go whose obstacle is gone by now. To be called once they are parked,
    /// which closes the only gap: whoever enables an endpoint, resumes a schedule or gives it an
    /// endpoint commits that first and then frees what is parked, but cannot see what is still
    /// claimed. If that commit came before this read, we see it here and free the event ourselves;
    /// if it came after, the event was parked before it, and they find it. Returns how many went.
    std::size_t release_if_possible(std::span<const Event> parked);

    /// The receiver is gone for good: its other events wait from now on. Returns whether this call
    /// did it.
    bool disable(EndpointId endpoint, const std::string& reason);

private:
    void send(Try one);
    [[nodiscard]] std::string target_time(const Event& event) const;

    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Couriers couriers_;
};

}  // namespace sundial
