#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "domain/error.hpp"
#include "domain/time/types.hpp"
#include "domain/user.hpp"

/// The payload of a schedule is a JSON text in whose string literals `{names}` stand for what is
/// known of a user and an occurrence:
///   {firstName} {lastName} {age} {targetTimestampLocal} {timezone} {dates.x} {metadata.x}
/// `{{` is a brace itself, and so is `}}` or a single `}`. Outside of string literals braces are
/// JSON's.
namespace sundial {

/// What the names stand for, as text.
struct TemplateValues {
    std::string first_name;
    std::string last_name;
    std::string age;                           // in years, on the nominal date
    std::string target_timestamp_local;        // 2027-01-05T09:00:00.000-05:00
    std::string timezone;                      // as the user gave it
    std::map<std::string, std::string> dates;  // YYYY-MM-DD
    std::map<std::string, std::string> metadata;
};

/// Those of `user` for the occurrence of the nominal date `nominal`.
[[nodiscard]] TemplateValues template_values(const User& user, Date nominal,
                                             std::string target_timestamp_local);

/// Those of what is for nobody: only the time and its zone are known.
[[nodiscard]] TemplateValues template_values(std::string_view timezone,
                                             std::string target_timestamp_local);

/// `json` is valid JSON. Errors: InvalidTemplate, for the first name that no user can have or brace
/// that is not closed; and, unless it is `per_user`, for a name that only users have. Every name of
/// a member (`dates.x`) is good: users differ.
[[nodiscard]] Result<void> check_template(std::string_view json, bool per_user = true);

/// `json` with every name replaced by its value, escaped so that the result is valid JSON too; all
/// other bytes stay as they are. A member that the user lacks is the empty string; what
/// `check_template` refuses stays as it is written. Nothing if the result would be longer than a
/// payload may be: a short template can repeat a long value.
[[nodiscard]] std::optional<std::string> render(std::string_view json,
                                                const TemplateValues& values);

}  // namespace sundial
