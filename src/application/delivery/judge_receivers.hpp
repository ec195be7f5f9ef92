#pragma once

#include <span>
#include <vector>

#include "application/delivery/admission.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// Reports one instance's results of its receivers to all instances, and opens and closes circuits
/// accordingly.
class JudgeReceivers {
public:
    JudgeReceivers(Store& store, CircuitPolicy policy) : store_(store), policy_(policy) {}
    /// In one transaction; `reports` is sorted by endpoint. Returns only changes. Throws
    /// Unavailable. If the outcome is unknown, repeating the report counts it twice, which is
    /// better than losing it.
    [[nodiscard]] std::vector<ReceiverChange> run(InstanceId by,
                                                  std::span<const ReceiverReport> reports);

private:
    Store& store_;
    CircuitPolicy policy_;
};

}  // namespace sundial
