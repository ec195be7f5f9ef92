#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/postgres/database.hpp"
#include "application/ports/event_queue.hpp"

/// What the claims of instances and of pull workers have in common.
namespace sundial::postgres {

/// Parameters that say how many of which priorities.
struct WantedRows {
    std::vector<std::int16_t> priorities;
    std::vector<std::int32_t> shares;
};
[[nodiscard]] WantedRows wanted_of(const std::array<std::uint32_t, 4>& shares);

/// What a claiming statement returned.
[[nodiscard]] Claimed claimed_in(const Database::Answered& answered);

/// Null for an instance's own claim.
[[nodiscard]] inline std::optional<std::string> worker_of(const Claimant& claimant) {
    return claimant.worker.empty() ? std::nullopt : std::optional{claimant.worker};
}

}  // namespace sundial::postgres
