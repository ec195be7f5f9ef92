#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "cli/http_client.hpp"
#include "cli/output.hpp"

/// Parts of commands that send a file in many requests.
namespace sundial::cli {

/// Whether the whole request is refused because of its content: an invalid row, or too many bytes.
[[nodiscard]] bool refused_for_content(const Answer& answer);

/// The message for one line from the API's problem; `place` is the position of the line.
[[nodiscard]] std::string problem_text(const boost::json::object& problem,
                                       std::string_view place = "");

/// `, 21000/s, 12 s left`: `rows` so far, and the time that the rest takes. `bytes` were read of
/// `all_bytes`, which is 0 if unknown. Empty at the start.
[[nodiscard]] std::string rate_text(std::uint64_t rows, std::uint64_t bytes,
                                    std::uint64_t all_bytes, std::chrono::milliseconds elapsed);

/// Sends the requests of one command, from several threads, to a server that may be busy or
/// restart.
class PatientClient {
public:
    /// `say` receives a sentence without its full stop when a request starts to wait. One thread
    /// calls it at a time.
    PatientClient(const HttpClient& client, const WaitOptions& wait_options,
                  std::function<void(const std::string&)> say)
        : client_(client), wait_options_(wait_options), say_(std::move(say)) {}

    /// Repeats the request for half a minute while the server does not respond or asks clients to
    /// wait; so the request must do no harm if it is repeated. Throws Unreachable after that.
    [[nodiscard]] Answer post(std::string_view path, const std::string& body,
                              const CallOptions& options);

private:
    void report_answer();
    /// Reports the wait once for all waiting requests, and again only after one of them has got a
    /// response.
    void report_wait(const std::string& why);

    const HttpClient& client_;
    const WaitOptions& wait_options_;
    const std::function<void(const std::string&)> say_;
    std::mutex mutex_;
    bool waiting_ = false;  // waiting for the server, and reported
};

}  // namespace sundial::cli
