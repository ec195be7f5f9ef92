#pragma once

#include <span>
#include <vector>

#include "application/delivery/admission.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// Tells all instances what one has seen of its receivers, and opens and closes their circuits by
/// it.
class JudgeReceivers {
public:
    JudgeReceivers(Store& store, CircuitPolicy policy) : store_(store), policy_(policy) {}
    /// In one transaction; `told` is in the order of endpoints. Returns only what has changed.
    /// Throws Unavailable; if nobody knows whether it was told, telling it again counts it twice,
    /// which is better than not at all.
    [[nodiscard]] std::vector<ReceiverChange> run(InstanceId by,
                                                  std::span<const ReceiverTold> told);

private:
    Store& store_;
    CircuitPolicy policy_;
};

}  // namespace sundial
