#pragma once

#include "adapters/http/router.hpp"
#include "application/ports/clock.hpp"
#include "application/requests/queries.hpp"
#include "application/users/create_user.hpp"
#include "application/users/delete_user.hpp"
#include "application/users/edit_user.hpp"
#include "application/users/put_user.hpp"

namespace sundial::http {

struct UserApi {
    CreateUser& create;
    EditUser& edit;
    PutUser& put;
    DeleteUser& remove;
    Queries& queries;
    Clock& clock;  // the present for `now` in filters
};

/// /v1/users, and the seeds' /user and /users.
void add_user_routes(Router& router, UserApi api);

}  // namespace sundial::http
