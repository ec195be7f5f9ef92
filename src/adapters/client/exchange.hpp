#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace sundial::client {

/// Files in PEM, for https; each may be empty.
struct TlsFiles {
    std::string ca_file{};           // certificates to trust, instead of the system's
    std::string certificate_file{};  // the client's own certificate
    std::string key_file{};          // its key, if that is a file of its own
};

/// A request to a server, sent at most once.
struct HttpRequest {
    std::string method;
    std::string url;                       // http or https
    std::vector<std::string> headers{};    // "Name: value"
    std::string_view body{};               // empty: none
    std::chrono::milliseconds timeout{0};  // of the whole exchange; 0: no limit
    std::chrono::milliseconds connect_timeout{10'000};
};

/// The final response, of any status: redirects are not followed.
struct HttpResponse {
    int status = 0;
    std::string body{};
    /// Names are in lower case. Of headers with the same name, the last.
    std::map<std::string, std::string, std::less<>> headers{};
};

/// There was no response, or only a part of one: the request may have taken effect.
struct NoResponse {
    std::string reason;             // in libcurl's words
    bool untrusted_server = false;  // its certificate is not one to trust
    bool unusable_files = false;    // one of TlsFiles is missing, or has not what it should
};

/// Sends the request over a connection of its own and waits for the response. Thread-safe.
[[nodiscard]] base::Result<HttpResponse, NoResponse> exchange(const HttpRequest& request,
                                                              const TlsFiles& tls);

}  // namespace sundial::client
