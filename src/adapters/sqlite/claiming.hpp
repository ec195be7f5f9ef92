#pragma once

#include <chrono>
#include <vector>

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/session.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::sqlite {

/// Claims every event that `ready` returns by the domain's `claim`: new, to be retried, or with an
/// expired lease.
void claim_each(Session& session, Cursor&& ready, const Claimant& by,
                std::chrono::microseconds lease, std::vector<ClaimedEvent>& claimed);

}  // namespace sundial::sqlite
