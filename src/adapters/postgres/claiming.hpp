#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/postgres/database.hpp"
#include "application/ports/event_queue.hpp"

/// Code shared by the claims of instances and of pull workers.
namespace sundial::postgres {

/// Statement parameters: the priorities to claim and the number of events of each.
struct WantedRows {
    std::vector<std::int16_t> priorities;
    std::vector<std::int32_t> shares;
};
[[nodiscard]] WantedRows wanted_of(const std::array<std::uint32_t, 4>& shares);

/// The claimed events in the answer of a claim statement.
[[nodiscard]] Claimed claimed_in(const Database::Answered& answered);

/// Null for an instance's own claim.
[[nodiscard]] inline std::optional<std::string> worker_of(const Claimant& claimant) {
    return claimant.worker.empty() ? std::nullopt : std::optional{claimant.worker};
}

}  // namespace sundial::postgres
