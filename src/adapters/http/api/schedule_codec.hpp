#pragma once

#include <optional>
#include <string>

#include "adapters/http/json.hpp"
#include "application/backfill_schedule.hpp"
#include "application/ports/time_zones.hpp"
#include "application/queries.hpp"
#include "application/schedule_fields.hpp"
#include "application/trigger_schedule.hpp"

/// Schedules as JSON.
namespace sundial::http {

[[nodiscard]] ScheduleFields schedule_fields(const JsonBody& body);
/// `operation` works through the planned events after an edit.
[[nodiscard]] std::string schedule_json(const ScheduleView& view,
                                        std::optional<OperationId> operation = std::nullopt);
[[nodiscard]] TriggerWish trigger_wish(const JsonBody& body);
[[nodiscard]] BackfillWish backfill_wish(const JsonBody& body);
[[nodiscard]] std::string backfill_json(const Backfill& backfill, const TimeZones& zones);

}  // namespace sundial::http
