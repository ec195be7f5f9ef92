#pragma once

#include "adapters/http/router.hpp"
#include "application/create_user.hpp"
#include "application/delete_user.hpp"
#include "application/edit_user.hpp"
#include "application/ports/clock.hpp"
#include "application/put_user.hpp"
#include "application/queries.hpp"

namespace sundial::http {

struct UserApi {
    CreateUser& create;
    EditUser& edit;
    PutUser& put;
    DeleteUser& remove;
    Queries& queries;
    Clock& clock;  // what `now` means in filters
};

/// /v1/users, and the seeds' /user and /users.
void add_user_routes(Router& router, UserApi api);

}  // namespace sundial::http
