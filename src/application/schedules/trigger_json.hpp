#pragma once

#include <string>

#include "domain/trigger.hpp"

namespace sundial {

/// `{"cron":"30 2 * * *"}`: a trigger in the form of the API and of recorded events.
[[nodiscard]] std::string trigger_json(const Trigger& trigger);

}  // namespace sundial
