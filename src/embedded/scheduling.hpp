#pragma once

#include <string>
#include <vector>

#include "application/events/edit_event.hpp"
#include "application/requests/queries.hpp"
#include "application/requests/results.hpp"
#include "application/requests/schedule_request.hpp"
#include "application/schedules/preview_schedule.hpp"
#include "embedded/answers.hpp"
#include "sundial/scheduling.hpp"

/// Requests for schedules and lists of events, and their answers.
namespace sundial::embedding {

[[nodiscard]] ScheduleFields requested_schedule(const NewSchedule& requested);
[[nodiscard]] EventEdit requested_change(const EventChange& change);
/// Errors: NotFound, ValidationFailed, InvalidCursor.
[[nodiscard]] sundial::Result<EventPage> list_events(Queries& queries, const EventFilter& filter,
                                                     const PageOptions& page);

}  // namespace sundial::embedding
