#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::sqlite {

/// Settles one claim, as EventQueue::settle does.
[[nodiscard]] Result<void> settle(Session& session, const Settlement& settlement);
/// Releases one claim, as EventQueue::release_claims does.
[[nodiscard]] Result<void> release_claims(Session& session, const ReleasedClaim& released);

}  // namespace sundial::sqlite
