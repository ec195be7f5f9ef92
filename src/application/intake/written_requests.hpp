#pragma once

#include <string>

#include "application/events/schedule_event.hpp"
#include "application/requests/refusal.hpp"
#include "application/requests/schedule_request.hpp"
#include "application/users/create_user.hpp"
#include "base/result.hpp"

namespace sundial {

/// Reads requests that were written as JSON outside of the API. The format is that of the API's
/// bodies: `POST /v1/events`, `/v1/schedules` and `/v1/users`. So are the refusals. Thread-safe.
class WrittenRequests {
public:
    virtual ~WrittenRequests() = default;
    [[nodiscard]] virtual base::Result<NewEvent, Refusal> event(const std::string& json) const = 0;
    [[nodiscard]] virtual base::Result<ScheduleFields, Refusal> schedule(
        const std::string& json) const = 0;
    [[nodiscard]] virtual base::Result<UserFields, Refusal> user(const std::string& json) const = 0;
};

}  // namespace sundial
