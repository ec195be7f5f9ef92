#pragma once

#include "adapters/http/router.hpp"
#include "application/ports/clock.hpp"
#include "application/requests/queries.hpp"
#include "application/users/users_module.hpp"

namespace sundial::http {

struct UserApi {
    UsersModule& users;
    Queries& queries;
    Clock& clock;  // the present for `now` in filters
};

/// /v1/users, and the seeds' /user and /users.
void add_user_routes(Router& router, UserApi api);

}  // namespace sundial::http
