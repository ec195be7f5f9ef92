#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/error.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// A person with a zone.
struct User {
    UserId id;
    std::optional<std::string> external_id;
    std::string first_name;
    std::string last_name;
    Date date_of_birth;
    std::string timezone;                         // IANA id as given; links are kept
    std::map<std::string, Date> dates;            // further dates, "anniversary" → 2015-06-01
    std::map<std::string, std::string> metadata;  // for templates
    Version version{1};
    Instant created_at;
    Instant updated_at;
    friend bool operator==(const User&, const User&) = default;
};

/// All invalid texts and dates of `user`, given the current date in its zone: names 1–255
/// characters without control characters, a birth date before today, external id 1–128, at
/// most 50 dates and metadata members with names [A-Za-z0-9_]{1,64}, metadata of at most 1,000
/// characters. The zone is checked elsewhere, because it needs a lookup.
[[nodiscard]] std::vector<FieldError> defects(const User& user, Date today);

/// Years completed on `day`. A person born on 29 February completes one on 28 February of a common
/// year, like the leap policy `feb28`.
[[nodiscard]] int age_on(Date date_of_birth, Date day);

}  // namespace sundial
