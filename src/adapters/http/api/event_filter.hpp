#pragma once

#include <vector>

#include "adapters/http/api/json_members.hpp"
#include "adapters/http/message.hpp"
#include "application/ports/clock.hpp"
#include "application/requests/queries.hpp"

/// Filters of events. The query of a list and the body of a bulk operation have the same members,
/// which the OpenAPI document has already validated. Resolves references to ids and `now-1h` to an
/// instant; adds what cannot be resolved to `errors`. Sort order and page are not part of a filter.
namespace sundial::http {

struct EventFilterContext {
    Queries& queries;
    Clock& clock;  // the present for `now`
    std::vector<FieldError>& errors;
};

[[nodiscard]] EventQuery event_filter(const Request& request, const EventFilterContext& context);
/// `filter` is the body's member of that name.
[[nodiscard]] EventQuery event_filter(const Members& filter, const EventFilterContext& context);

}  // namespace sundial::http
