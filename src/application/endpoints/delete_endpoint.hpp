#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "application/audit/caller.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"

namespace sundial {

/// Effect of live events on the deletion of their endpoint: they prevent it, or are cancelled.
enum class EventsOfEndpoint : std::uint8_t { prevent, cancelled };

/// Removes an endpoint that no live event and no schedule points to, with its circuit, limits and
/// inbox. Finished events and attempts stay. A few events are cancelled in one transaction with the
/// endpoint; more of them are cancelled batch by batch, under a disabled endpoint. If that is
/// interrupted or finds claimed events, the endpoint still exists, disabled and at a new version,
/// and can be deleted again. An event that another transaction gives to the endpoint meanwhile is
/// counted, or refused because there is no such endpoint.
class DeleteEndpoint {
public:
    DeleteEndpoint(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups)
        : store_(store), zones_(zones), ids_(ids), wakeups_(wakeups) {}
    /// Errors: NotFound, OptimisticLock, EndpointInUse; ValidationFailed if the zone of an event's
    /// successor is unknown.
    [[nodiscard]] EndpointResult<void> run(std::string_view reference, EventsOfEndpoint events,
                                           std::optional<Version> expected, const Caller& caller);

private:
    /// Of one transaction.
    struct Step {
        bool removed = false;
        std::optional<EndpointInUse> in_use{};  // it cannot be removed
        std::size_t cancelled = 0;              // events, if no more are left to cancel
        Instant earliest = never;               // when the first planned successor is claimable
    };
    EndpointResult<Step> remove_if_few_are_left(Transaction& tx, const Endpoint& endpoint,
                                                EventsOfEndpoint events, const Caller& caller);
    EndpointResult<Step> begin(Transaction& tx, std::string_view reference, EventsOfEndpoint events,
                               std::optional<Version> expected, const Caller& caller);

    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
};

}  // namespace sundial
