#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_table.hpp"
#include "cli/output.hpp"

namespace sundial::cli {

/// The values of one command line, by the first name of their argument: `id`, `--limit`.
using Given = std::map<std::string, std::vector<std::string>, std::less<>>;

/// The request of one command.
struct ApiRequest {
    std::string method;
    std::string path;  // without the query
    std::vector<std::pair<std::string, std::string>> query{};
    std::vector<std::string> headers{};
    std::string body{};  // JSON; empty: none

    /// Path and query.
    [[nodiscard]] std::string target() const;
    /// Sets a parameter of the query, or replaces it.
    void set_query(std::string_view name, std::string value);
};

/// Reads a file, or standard input for `-`. Throws BadArgument.
using FileReader = std::function<std::string(const std::string& file)>;
/// Reads standard input at most once.
[[nodiscard]] FileReader files_and(std::istream& standard_input);

/// Throws BadArgument.
[[nodiscard]] ApiRequest make_request(const ApiCommand& command, const Given& given,
                                      const FileReader& read);

/// `text` with each {name} replaced by the argument with that name or member, escaped for a path if
/// asked to.
[[nodiscard]] std::string filled(const ApiCommand& command, std::string_view text,
                                 const Given& given, bool escape);
/// The argument that an error of the API points to: `--timezone` for `/timezone`, or else the
/// pointer itself.
[[nodiscard]] std::string argument_of(const ApiCommand& command, std::string_view pointer);
/// Whether a time of a command line is an instant (2027-01-05T08:00:00Z, now+1h), not a local time.
[[nodiscard]] bool is_instant(std::string_view text);
/// The first value, or `otherwise`.
[[nodiscard]] std::string first_of(const Given& given, std::string_view name,
                                   std::string_view otherwise = "");
/// The name that `Given` has: the first one.
[[nodiscard]] std::string key_of(const Argument& argument);

}  // namespace sundial::cli
