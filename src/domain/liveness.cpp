#include "domain/liveness.hpp"

#include <algorithm>

namespace sundial {

Heartbeat renewed(const std::optional<Heartbeat>& before, Instant now) {
    const bool goes_on =
        before && now >= before->renewed_at && now - before->renewed_at <= longest_gap;
    return {now, goes_on ? before->unbroken_since : now};
}

Instant found_dead_at(const Heartbeat& own, const Heartbeat& other) {
    return std::max(other.renewed_at, own.unbroken_since) + dead_after;
}

bool is_left_behind(const Event& event, const DeadInstances& dead) {
    if (!is_claimed(event) || event.updated_at > dead.as_of) return false;
    const Claimant& holder = *std::get<Processing>(event.state).claimed_by;
    return holder.worker.empty() && std::ranges::find(dead.ids, holder.instance) != dead.ids.end();
}

}  // namespace sundial
