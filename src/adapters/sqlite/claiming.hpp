#pragma once

#include <chrono>
#include <vector>

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/session.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::sqlite {

/// Claims every event that `ready` returns: new, retried and rescued work in one, whose rule is the
/// domain's `claim`.
void claim_each(Session& session, Cursor&& ready, const Claimant& by,
                std::chrono::microseconds lease, std::vector<ClaimedEvent>& claimed);

}  // namespace sundial::sqlite
