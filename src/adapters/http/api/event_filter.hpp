#pragma once

#include <vector>

#include "adapters/http/api/json_members.hpp"
#include "adapters/http/message.hpp"
#include "application/ports/clock.hpp"
#include "application/requests/queries.hpp"

/// Which events: the same members in the query of a list and in the body of a bulk operation, found
/// valid by the document. References become ids and `now-1h` an instant; what is wrong with one is
/// added to `errors`. Order and page are not among them.
namespace sundial::http {

struct EventFilterContext {
    Queries& queries;
    Clock& clock;  // what `now` means
    std::vector<FieldError>& errors;
};

[[nodiscard]] EventQuery event_filter(const Request& request, const EventFilterContext& context);
/// `filter` is the member of that name.
[[nodiscard]] EventQuery event_filter(const Members& filter, const EventFilterContext& context);

}  // namespace sundial::http
