#pragma once

#include "adapters/system/json_log.hpp"
#include "server/database.hpp"

namespace sundial::server {

/// Ends the process with exit code 1 and without destructors, after flushing `log`. `log` must
/// outlive the database.
[[nodiscard]] OnFatal end_at_once(system::JsonLog& log);

}  // namespace sundial::server
