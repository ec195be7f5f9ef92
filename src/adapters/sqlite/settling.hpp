#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::sqlite {

/// Settles one claim, as EventQueue::settle does.
[[nodiscard]] Result<void> settle(Session& session, const Settlement& settlement);
/// Releases one claim, as EventQueue::give_back does.
[[nodiscard]] Result<void> give_back(Session& session, const GivenBack& given_back);

}  // namespace sundial::sqlite
