#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "application/requests/results.hpp"
#include "domain/error.hpp"
#include "domain/time/types.hpp"
#include "domain/user.hpp"

/// The payload of a schedule is a JSON text. In its string literals, `{names}` are replaced by data
/// of a user and an occurrence:
///   {firstName} {lastName} {age} {targetTimestampLocal} {timezone} {dates.x} {metadata.x}
/// `{{` is a literal brace, as are `}}` and a single `}`. Outside string literals braces are
/// JSON's.
namespace sundial {

/// The values of the names, as text.
struct TemplateValues {
    std::string first_name;
    std::string last_name;
    std::string age;                           // in years, on the nominal date
    std::string target_timestamp_local;        // 2027-01-05T09:00:00.000-05:00
    std::string timezone;                      // as the user gave it
    std::map<std::string, std::string> dates;  // YYYY-MM-DD
    std::map<std::string, std::string> metadata;
};

/// The values of `user` for the occurrence of the nominal date `nominal`.
[[nodiscard]] TemplateValues template_values(const User& user, Date nominal,
                                             std::string target_timestamp_local);

/// The values without a user: only the time and its zone are known.
[[nodiscard]] TemplateValues template_values(std::string_view timezone,
                                             std::string target_timestamp_local);

/// `json` is valid JSON. Errors: InvalidTemplate, for the first unknown name or unclosed brace;
/// and, unless `per_user`, for a name that needs a user. Every name of a member (`dates.x`) is
/// accepted, because users differ.
[[nodiscard]] ScheduleResult<void> check_template(std::string_view json, bool per_user = true);

/// `json` with every name replaced by its value, escaped so that the result is valid JSON too; all
/// other bytes stay. A member that the user lacks becomes the empty string. Text that
/// `check_template` refuses stays as written. Empty if the result would be longer than the limit
/// for payloads: a short template can repeat a long value.
[[nodiscard]] std::optional<std::string> render(std::string_view json,
                                                const TemplateValues& values);

}  // namespace sundial
