#pragma once

#include <optional>
#include <string>

#include "adapters/http/json.hpp"
#include "adapters/http/router.hpp"
#include "application/ports/clock.hpp"
#include "application/requests/queries.hpp"
#include "application/users/create_user.hpp"
#include "application/users/edit_user.hpp"
#include "application/users/users_module.hpp"

/// Users as JSON.

namespace sundial::http {

[[nodiscard]] UserFields user_fields(const JsonBody& body);
[[nodiscard]] UserEdit user_edit(const JsonBody& body);
[[nodiscard]] std::string user_json(const User& user,
                                    const std::optional<Reschedule>& reschedule = std::nullopt);

struct UserApi {
    UsersModule& users;
    Queries& queries;
    Clock& clock;  // the present for `now` in filters
};

/// /v1/users, and the seeds' /user and /users.
void add_user_routes(Router& router, UserApi api);

}  // namespace sundial::http
