#include "adapters/http/api/written_requests.hpp"

#include <utility>

#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/problems.hpp"

namespace sundial::http {
namespace {

Refusal refusal_of(const Problem& problem) {
    if (problem.code == Code::validation_failed) {
        return sundial::refusal_of(ValidationFailed{problem.errors});
    }
    return {std::string{kind_of(problem.code).name}, problem.detail};
}

}  // namespace

template <class Decode>
auto ApiRequests::read(const Format& format, const std::string& json, Decode decode) const
    -> base::Result<decltype(decode(std::declval<const JsonBody&>())), Refusal> {
    const auto body = JsonBody::read(json);
    if (!body) return refusal_of(body.error());
    auto errors = schema_.check_body({"POST", format.route}, *body);
    if (!errors.empty()) return refusal_of(validation_failed(std::move(errors)));
    if (const auto problem = payload_too_large(*body, format.payload)) return refusal_of(*problem);
    return decode(*body);
}

base::Result<NewEvent, Refusal> ApiRequests::event(const std::string& json) const {
    return read({"/v1/events", "deliveryPayload"}, json, new_event);
}

base::Result<ScheduleFields, Refusal> ApiRequests::schedule(const std::string& json) const {
    return read({"/v1/schedules", "payload"}, json, schedule_fields);
}

base::Result<UserFields, Refusal> ApiRequests::user(const std::string& json) const {
    return read({"/v1/users", ""}, json, user_fields);
}

}  // namespace sundial::http
