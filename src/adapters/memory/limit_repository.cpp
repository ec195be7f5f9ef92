#include "adapters/memory/limit_repository.hpp"

#include <algorithm>
#include <utility>

namespace sundial::memory {

Limits MemoryLimitRepository::lock(EndpointId endpoint) {
    const Limits* limits = limits_.find(endpoint);
    return limits ? *limits : Limits{.endpoint = endpoint};
}

void MemoryLimitRepository::put(const Limits& limits) {
    Limits row = limits;
    std::ranges::sort(row.leases, {}, &SlotLease::by);
    if (!limits_.find(limits.endpoint)) return limits_.insert(limits.endpoint, std::move(row));
    limits_.replace(limits.endpoint, std::move(row));
}

}  // namespace sundial::memory
