#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "cli/http_client.hpp"

/// The commands that use the REST API. Results go to `out`, refusals to `err`; the
/// answer is the exit code: 0 ok · 1 failure · 2 usage · 3 not found · 4 conflict · 5 not
/// authenticated or not allowed. Whether `out` could be written is for the caller to look at; what
/// prints page after page ends early where it could not.
namespace sundial::cli {

struct Output {
    std::ostream& out;
    std::ostream& err;
    bool json = false;  // print the API's response instead of text
};

[[nodiscard]] int show_clock(const HttpClient& client, const Output& output);
/// Exactly one of `by` (PT24H) and `to` (RFC 3339).
[[nodiscard]] int advance_clock(const HttpClient& client, const std::optional<std::string>& by,
                                const std::optional<std::string>& to, const Output& output);
/// Newest first, one per line; `running`: only running ones.
[[nodiscard]] int list_operations(const HttpClient& client, bool running, const Output& output);
/// How `wait_for_operation` waits, and how it shows progress.
struct WaitOptions {
    std::function<std::chrono::milliseconds()> elapsed;
    std::function<void(std::chrono::milliseconds)> sleep;
    std::optional<std::chrono::seconds> timeout;
    bool terminal = false;  // redraw the progress line; else a line every ten seconds
};
/// Waits until the operation ends: 0 COMPLETED, 7 with rows that failed, 1 FAILED or STOPPED, 8
/// after the timeout. Progress goes to `err`.
[[nodiscard]] int wait_for_operation(const HttpClient& client, const std::string& id,
                                     const WaitOptions& wait_options, const Output& output);
[[nodiscard]] int stop_operation(const HttpClient& client, const std::string& id,
                                 const Output& output);
[[nodiscard]] int show_info(const HttpClient& client, const Output& output);

}  // namespace sundial::cli
