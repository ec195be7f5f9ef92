#pragma once

#include <optional>
#include <string>

#include "adapters/http/json.hpp"
#include "application/users/create_user.hpp"
#include "application/users/edit_user.hpp"

/// Users as JSON.
namespace sundial::http {

[[nodiscard]] UserFields user_fields(const JsonBody& body);
[[nodiscard]] UserEdit user_edit(const JsonBody& body);
[[nodiscard]] std::string user_json(const User& user,
                                    const std::optional<Reschedule>& reschedule = std::nullopt);

}  // namespace sundial::http
