#pragma once

#include <map>
#include <optional>
#include <string>

#include "application/ports/time_zones.hpp"
#include "application/requests/edits.hpp"
#include "domain/user.hpp"

namespace sundial {

/// A user as asked for, in texts, so that all that is wrong with it is told at once.
struct UserFields {
    std::optional<std::string> external_id{};
    std::string first_name{};
    std::string last_name{};
    std::string date_of_birth{};                 // 1992-02-29
    std::string timezone{};                      // IANA id
    std::map<std::string, std::string> dates{};  // "anniversary" → "2015-06-01"
    std::map<std::string, std::string> metadata{};
};

/// What to change of a user; what is empty stays.
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

/// `user` with all that `fields` say of it. Errors: ValidationFailed, with every field that is
/// wrong (pointers /firstName, /dateOfBirth, /timezone, /dates/anniversary, …).
[[nodiscard]] Result<User> read_user(User user, const UserFields& fields, const TzData& zones,
                                     Instant now);

}  // namespace sundial
