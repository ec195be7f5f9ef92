#include "cli/http_client.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace sundial::cli {
namespace {

/// What the user can do about it.
std::string_view advice_for(const client::NoResponse& failure) {
    if (failure.untrusted_server) return "name the certificates to trust with --ca-file";
    if (failure.unusable_files) return "check the files of --ca-file, --cert-file and --key-file";
    return "is it running? Name another server with --server";
}

}  // namespace

Answer HttpClient::call(std::string_view method, std::string_view path, std::string_view body,
                        const CallOptions& options) const {
    // Half the library's: a person waits at the terminal.
    constexpr std::chrono::seconds connect_timeout{5};
    client::HttpRequest request{.method = std::string{method},
                                .url = server_ + std::string(path),
                                .headers = {"Content-Type: application/json"},
                                .body = body,
                                .timeout = options.timeout,
                                .connect_timeout = connect_timeout};
    if (!api_key_.empty()) request.headers.push_back("Authorization: Bearer " + api_key_);
    request.headers.insert(request.headers.end(), options.headers.begin(), options.headers.end());
    auto response = client::exchange(request, tls_);
    if (!response) {
        throw Unreachable("no response from " + server_ + " (" + response.error().reason + "); " +
                          std::string{advice_for(response.error())});
    }
    return {.status = response->status, .body = std::move(response->body)};
}

}  // namespace sundial::cli
