#pragma once

#include <optional>
#include <string>

#include "adapters/http/json.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/backfill_schedule.hpp"
#include "application/schedules/schedule_fields.hpp"
#include "application/schedules/trigger_schedule.hpp"

/// Schedules as JSON.
namespace sundial::http {

[[nodiscard]] ScheduleFields schedule_fields(const JsonBody& body);
/// `operation` updates the planned events after an edit.
[[nodiscard]] std::string schedule_json(const ScheduleView& view,
                                        std::optional<OperationId> operation = std::nullopt);
[[nodiscard]] TriggerRequest trigger_request(const JsonBody& body);
[[nodiscard]] BackfillRequest backfill_request(const JsonBody& body);
[[nodiscard]] std::string backfill_json(const Backfill& backfill, const TimeZones& zones);

}  // namespace sundial::http
