#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::sqlite {

/// One answer of EventQueue::settle.
[[nodiscard]] Result<void> settle(Session& session, const Settlement& settlement);
/// One answer of EventQueue::give_back.
[[nodiscard]] Result<void> give_back(Session& session, const GivenBack& given_back);

}  // namespace sundial::sqlite
