#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "application/delivery/admission.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// Decides which of the events that one instance has claimed may be sent now: as many as their
/// endpoints' limits allow all instances together, one if a circuit is to be probed, and none while
/// it is open. The other events get staggered delays, so that they do not return all at once.
class AdmitEvents {
public:
    /// `random` outlives this object.
    AdmitEvents(Store& store, Random& random) : store_(store), random_(random) {}

    /// One answer per request, in one transaction; `asked` is sorted by endpoint. The instance
    /// holds granted slots for `lease`. Repeating a request after a lost answer counts no slot
    /// twice. Throws Unavailable.
    [[nodiscard]] std::vector<Admission> run(InstanceId by, std::span<const AdmissionRequest> asked,
                                             std::chrono::microseconds lease);

    /// Claims events that wait in the lines of limited endpoints, as many as the limits allow, in
    /// one transaction with the permits: an event without a permit is not claimed. `asked` is
    /// sorted by endpoint. Tokens that a rate gains within `ahead` count too. Throws Unavailable;
    /// then claims are left to their leases.
    [[nodiscard]] std::vector<LineAnswer> claim_from_lines(EventQueue& queue, InstanceId by,
                                                           std::span<const LineClaim> asked,
                                                           std::chrono::microseconds lease,
                                                           std::chrono::microseconds ahead);

    /// Makes those events claimable whose circuit has closed in the meantime. The transaction that
    /// closes a circuit expedites the events that wait for it, and this check runs after events
    /// were released because of the circuit. Whichever of the two comes second sees the other.
    /// Returns the number of events; repeating the call does no harm. Throws Unavailable.
    [[nodiscard]] std::size_t release_if_closed(std::span<const BlockedEvent> claims);

private:
    /// Events of one part of the storage.
    [[nodiscard]] std::size_t release_part(std::span<const BlockedEvent> claims);
    [[nodiscard]] Admission answer(Transaction& tx, InstanceId by, const AdmissionRequest& asked,
                                   std::chrono::microseconds lease, bool closed);
    struct LineTerms {
        InstanceId by;
        std::chrono::microseconds lease, ahead;
    };
    [[nodiscard]] LineAnswer claim_from_line(Transaction& tx, EventQueue& queue,
                                             const LineClaim& asked, const LineTerms& terms);
    /// Claims at most `limit` events of the line, and removes the places that turn out empty.
    [[nodiscard]] std::vector<ClaimedEvent> claim_at_most(EventQueue& queue, EndpointId endpoint,
                                                          std::uint32_t limit,
                                                          const LineTerms& terms,
                                                          LinePlaces& places);

    Store& store_;
    Random& random_;
};

}  // namespace sundial
