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
    [[nodiscard]] std::vector<Admission> run(InstanceId by, std::span<const AdmissionAsked> asked,
                                             std::chrono::microseconds lease);

    /// Makes those events claimable whose circuit has closed in the meantime. The transaction that
    /// closes a circuit expedites the events that wait for it, and this check runs after events
    /// were released because of the circuit. Whichever of the two comes second sees the other.
    /// Returns the number of events; repeating the call does no harm. Throws Unavailable.
    [[nodiscard]] std::size_t release_if_closed(std::span<const HeldUp> claims);

private:
    [[nodiscard]] Admission answer(Transaction& tx, InstanceId by, const AdmissionAsked& asked,
                                   std::chrono::microseconds lease, bool closed);

    Store& store_;
    Random& random_;
};

}  // namespace sundial
