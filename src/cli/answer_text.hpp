#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/http_client.hpp"

namespace boost::json {
class object;
}

/// Presents the API's responses to the user.
namespace sundial::cli {

/// A member as text for people: strings without quotes, the rest as JSON, null or absent as
/// nothing.
[[nodiscard]] std::string text_of(const boost::json::object& object, std::string_view member);

/// Prints a response: the body itself for --json, a problem, or the text from `say`. Returns the
/// exit code.
[[nodiscard]] int print(const Answer& answer, const Output& output,
                        const std::function<void(const boost::json::object&)>& say);

/// `0199… REPLAN_SCHEDULE RUNNING 1200 of 20000, 3 failed`
[[nodiscard]] std::string operation_line(const boost::json::object& operation);

/// Escapes a text for use in a query.
[[nodiscard]] std::string query_text(std::string_view text);

}  // namespace sundial::cli
