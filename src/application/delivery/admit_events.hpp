#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "application/delivery/admission.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// Says which of the events that one instance has claimed may be sent now: as many as their
/// endpoints' limits allow all instances together, one if a circuit is to be probed, and none while
/// it is open. The others are given places, so that they do not come back all at once.
class AdmitEvents {
public:
    /// `random` outlives it.
    AdmitEvents(Store& store, Random& random) : store_(store), random_(random) {}

    /// Answer by answer, in one transaction; `asked` is in the order of endpoints. Slots that are
    /// granted are the instance's for `lease`. Asked again after an answer that got lost, no slot
    /// is counted twice. Throws Unavailable.
    [[nodiscard]] std::vector<Admission> run(InstanceId by, std::span<const AdmissionAsked> asked,
                                             std::chrono::microseconds lease);

    /// Lets those go whose circuit is closed by now. Who closes one lets go whoever waits for it,
    /// who is given back because of one looks at it again: one of the two comes second, and sees
    /// the other. Returns how many; doing it twice does no harm. Throws Unavailable.
    [[nodiscard]] std::size_t release_if_closed(std::span<const HeldUp> given_back);

private:
    [[nodiscard]] Admission answer(Transaction& tx, InstanceId by, const AdmissionAsked& asked,
                                   std::chrono::microseconds lease, bool closed);

    Store& store_;
    Random& random_;
};

}  // namespace sundial
