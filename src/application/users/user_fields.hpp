#pragma once

#include <map>
#include <optional>
#include <string>

#include "application/ports/time_zones.hpp"
#include "application/requests/edits.hpp"
#include "domain/user.hpp"

namespace sundial {

/// The fields of a requested user, as texts, so that all defects are reported together.
struct UserFields {
    std::optional<std::string> external_id{};
    std::string first_name{};
    std::string last_name{};
    std::string date_of_birth{};                 // 1992-02-29
    std::string timezone{};                      // IANA id
    std::map<std::string, std::string> dates{};  // "anniversary" → "2015-06-01"
    std::map<std::string, std::string> metadata{};
};

/// The changes of a user; empty fields stay.
struct UserEdit {
    Edit<std::string> external_id{};
    std::optional<std::string> first_name{};
    std::optional<std::string> last_name{};
    std::optional<std::string> date_of_birth{};
    std::optional<std::string> timezone{};
    TextsEdit dates{};
    TextsEdit metadata{};
};

[[nodiscard]] UserFields fields_of(const User& user);
[[nodiscard]] UserFields edited(UserFields fields, const UserEdit& edit);

/// `user` with all values of `fields`. Errors: ValidationFailed, with every wrong field (pointers
/// /firstName, /dateOfBirth, /timezone, /dates/anniversary, …).
[[nodiscard]] Result<User> read_user(User user, const UserFields& fields, const TzData& zones,
                                     Instant now);

}  // namespace sundial
