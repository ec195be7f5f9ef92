#pragma once

#include <string>

#include "domain/trigger.hpp"

namespace sundial {

/// `{"cron":"30 2 * * *"}`: a trigger as the API and recorded events show it.
[[nodiscard]] std::string trigger_json(const Trigger& trigger);

}  // namespace sundial
