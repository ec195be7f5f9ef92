#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "adapters/http/schema.hpp"
#include "application/intake/written_requests.hpp"

namespace sundial::http {

/// Validates requests against the OpenAPI document, like the bodies of the API.
class ApiRequests final : public WrittenRequests {
public:
    explicit ApiRequests(std::string_view openapi_json) : schema_(openapi_json) {}
    [[nodiscard]] base::Result<NewEvent, Refusal> event(const std::string& json) const override;
    [[nodiscard]] base::Result<ScheduleFields, Refusal> schedule(
        const std::string& json) const override;
    [[nodiscard]] base::Result<UserFields, Refusal> user(const std::string& json) const override;

private:
    struct Format {
        const char* route;    // whose body it is
        const char* payload;  // the member whose size is bounded; empty: none
    };
    template <class Decode>
    auto read(const Format& format, const std::string& json, Decode decode) const
        -> base::Result<decltype(decode(std::declval<const JsonBody&>())), Refusal>;

    ApiSchema schema_;
};

}  // namespace sundial::http
