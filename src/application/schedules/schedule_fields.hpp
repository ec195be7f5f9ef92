#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "application/ports/endpoint_kind.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"
#include "application/requests/schedule_request.hpp"
#include "domain/occurrence.hpp"
#include "domain/schedule.hpp"

namespace sundial {

/// `before` with the changes of `fields`. Errors: ValidationFailed, with all wrong fields (pointers
/// /trigger/cron, /timezone, …) except those that judge_rule() finds; InvalidTemplate.
[[nodiscard]] ScheduleResult<Schedule> edited(Transaction& tx, Schedule before,
                                              const ScheduleFields& fields, const TzData& zones);
/// The error if the endpoint of `schedule` was deleted by now, or if its type cannot take the
/// payload. No other transaction deletes it until this one ends.
[[nodiscard]] std::optional<ValidationFailed> refuse_endpoint(Transaction& tx,
                                                              const Schedule& schedule,
                                                              const EndpointKinds& kinds);
/// The error if its ping URL cannot be used.
[[nodiscard]] std::optional<ValidationFailed> refuse_ping_url(const Schedule& schedule,
                                                              const EndpointKinds& kinds);
/// A new schedule from `fields`. `eventType` and `trigger` must be present. Errors: as above.
[[nodiscard]] ScheduleResult<Schedule> read_schedule(Transaction& tx, ScheduleId id,
                                                     const ScheduleFields& fields,
                                                     const TzData& zones);
/// Computes the first occurrence of an RRULE, which may take 0.1 s: call it outside transactions.
/// Errors: ValidationFailed at /trigger/rrule, if the rule never fires or is too expensive.
[[nodiscard]] ScheduleResult<void> judge_rule(const Schedule& schedule, const TzData& zones);
/// Whether judge_rule() gives the same result for both.
[[nodiscard]] bool same_rule(const Schedule& a, const Schedule& b);

}  // namespace sundial
