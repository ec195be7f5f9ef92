#pragma once

#include <optional>
#include <string>

#include "adapters/http/json.hpp"
#include "application/edit_schedule.hpp"
#include "application/queries.hpp"

/// Schedules as JSON.
namespace sundial::http {

[[nodiscard]] ScheduleEdit schedule_edit(const JsonBody& body);
/// `changed_events` is how many planned events an edit brought along.
[[nodiscard]] std::string schedule_json(const ScheduleView& view,
                                        std::optional<std::size_t> changed_events = std::nullopt);

}  // namespace sundial::http
