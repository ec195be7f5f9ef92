#pragma once

#include <string>

#include "adapters/http/api/json_members.hpp"
#include "adapters/http/json.hpp"
#include "application/edit_event.hpp"
#include "application/ports/time_zones.hpp"
#include "application/schedule_event.hpp"

/// Events as JSON.
namespace sundial::http {

/// When, in a body that has it among its members.
[[nodiscard]] TargetFields target_fields(const Members& members);
[[nodiscard]] NewEvent new_event(const JsonBody& body);
[[nodiscard]] EventEdit event_edit(const JsonBody& body);
[[nodiscard]] std::string event_json(const Event& event, const TimeZones& zones);

}  // namespace sundial::http
