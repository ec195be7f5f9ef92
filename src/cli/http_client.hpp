#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/client/exchange.hpp"

namespace sundial::cli {

/// The server did not respond: exit code 6.
class Unreachable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Answer {
    int status = 0;
    std::string body;
};

struct CallOptions {
    std::vector<std::string> headers{};    // additional ones, "Name: value"
    std::chrono::milliseconds timeout{0};  // of the whole call; 0: no limit
};

/// For commands without a version from the user, on routes that require one.
inline const CallOptions any_version{.headers = {"If-Match: *"}};

/// Calls the REST API of one server, one request at a time.
class HttpClient {
public:
    /// `api_key` may be empty: then none is sent.
    HttpClient(std::string server, std::string api_key, client::TlsFiles tls = {})
        : server_(std::move(server)), api_key_(std::move(api_key)), tls_(std::move(tls)) {}
    /// `body` is JSON, or empty for none. Without a timeout it waits as long as the server works:
    /// an advance of the test clock by a year takes minutes. Throws Unreachable. Thread-safe.
    [[nodiscard]] Answer call(std::string_view method, std::string_view path,
                              std::string_view body = {}, const CallOptions& options = {}) const;

private:
    std::string server_;
    std::string api_key_;
    client::TlsFiles tls_;
};

}  // namespace sundial::cli
