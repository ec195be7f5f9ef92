#pragma once

#include <chrono>
#include <span>

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/session.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial::sqlite {

struct Claiming {
    Claimant by;
    std::chrono::microseconds lease;
    std::span<const EndpointId> limited{};           // as in ClaimRequest
    std::span<const std::string> types_of_others{};  // likewise
};
/// Claims every event that `ready` returns by the domain's `claim`: new, to be retried, or with an
/// expired lease. Events of limited endpoints join their lines instead.
void claim_each(Session& session, Cursor&& ready, const Claiming& claiming, Claimed& claimed);

}  // namespace sundial::sqlite
