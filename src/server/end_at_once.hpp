#pragma once

#include "adapters/system/json_log.hpp"
#include "server/database.hpp"

namespace sundial::server {

/// Ends the process with exit code 1 and without destructors, once `log` has said what it was told.
/// `log` outlives the database.
[[nodiscard]] OnFatal end_at_once(system::JsonLog& log);

}  // namespace sundial::server
