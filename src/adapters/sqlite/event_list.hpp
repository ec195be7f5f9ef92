#pragma once

#include "adapters/sqlite/connection.hpp"
#include "application/ports/event_repository.hpp"

namespace sundial::sqlite {

/// Live and finished events that match `query`, in its order.
[[nodiscard]] Page<Event> list_events(Connection& connection, const EventQuery& query);

}  // namespace sundial::sqlite
