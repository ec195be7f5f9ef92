#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "cli/http_client.hpp"

/// What the command line does through the REST API. Results go to `out`, refusals to `err`; the
/// answer is the exit code: 0 ok · 1 failure · 2 usage · 3 not found · 4 conflict.
namespace sundial::cli {

struct Output {
    std::ostream& out;
    std::ostream& err;
    bool json = false;  // the answer as the API gave it, in place of words
};

[[nodiscard]] int show_clock(const HttpClient& client, const Output& output);
/// Exactly one of `by` (PT24H) and `to` (RFC 3339).
[[nodiscard]] int advance_clock(const HttpClient& client, const std::optional<std::string>& by,
                                const std::optional<std::string>& to, const Output& output);
[[nodiscard]] int show_info(const HttpClient& client, const Output& output);

}  // namespace sundial::cli
