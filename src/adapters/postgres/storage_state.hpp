#pragma once

#include <string>

#include "application/ports/storage_state.hpp"

namespace sundial::postgres {

/// Sizes, and the nodes of a distributed database. Changes nothing, also in a database without a
/// schema of sundial. Throws Unavailable.
[[nodiscard]] StorageState storage_state(const std::string& url);

}  // namespace sundial::postgres
