#pragma once

#include <string>
#include <vector>

#include "adapters/http/api/json_members.hpp"
#include "adapters/http/json.hpp"
#include "adapters/http/message.hpp"
#include "adapters/http/problem.hpp"
#include "application/events/edit_event.hpp"
#include "application/events/explain_event.hpp"
#include "application/events/schedule_event.hpp"
#include "application/ports/time_zones.hpp"
#include "base/result.hpp"

/// Events as JSON.

namespace sundial::http {

/// The target time from a body that contains its members.
[[nodiscard]] TargetFields target_fields(const Members& members);
[[nodiscard]] NewEvent new_event(const JsonBody& body);
/// The events of a batch, one result per item: the event, or the problem of that item.
[[nodiscard]] std::vector<base::Result<NewEvent, Problem>> new_events(const Request& batch);
[[nodiscard]] EventEdit event_edit(const JsonBody& body);
[[nodiscard]] std::string event_json(const Event& event, const TimeZones& zones);

/// Explanations as JSON.

[[nodiscard]] std::string explanation_json(const Explanation& explanation);

}  // namespace sundial::http
