#include "sundial/client.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "adapters/client/exchange.hpp"
#include "adapters/client/json_view.hpp"
#include "adapters/client/problem_text.hpp"
#include "adapters/client/wire.hpp"

namespace sundial {
namespace {

using client::HttpResponse;
using embedding::Error;
using embedding::Result;

/// A line end in a header would begin another one.
bool fits_header(const std::string& text) {
    return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

std::vector<std::string> headers_of(const ClientOptions& options, const ClientRequest& request) {
    std::vector<std::string> headers{"Accept: application/json"};
    if (!request.body.empty()) headers.emplace_back("Content-Type: application/json");
    if (!options.key.empty()) headers.push_back("Authorization: Bearer " + options.key);
    if (!request.idempotency_key.empty()) {
        headers.push_back("Idempotency-Key: " + request.idempotency_key);
    }
    if (!request.if_match.empty()) headers.push_back("If-Match: " + request.if_match);
    headers.insert(headers.end(), request.headers.begin(), request.headers.end());
    return headers;
}

/// One try. UNREACHABLE without an answer.
Result<HttpResponse> send(const ClientOptions& options, const ClientRequest& request) {
    auto response = client::exchange({.method = request.method,
                                      .url = options.server + request.path,
                                      .headers = headers_of(options, request),
                                      .body = request.body,
                                      .timeout = options.timeout},
                                     {.ca_file = options.ca_file,
                                      .certificate_file = options.certificate_file,
                                      .key_file = options.key_file});
    if (response) return *std::move(response);
    return Error{
        "UNREACHABLE", "no answer from " + options.server + ": " + response.error().reason, {}};
}

bool done(const HttpResponse& response) { return response.status >= 200 && response.status < 300; }

Error refusal_of(const ClientRequest& request, const HttpResponse& response) {
    const std::string status = "status " + std::to_string(response.status);
    Error error{
        client::text_member(response.body, "code").value_or("HTTP_ERROR"),
        client::text_member(response.body, "detail").value_or("the server answered " + status),
        {}};
    if (const auto problem = client::JsonView::parse(response.body)) {
        error.data = client::details_of(error.code, *problem);
    }
    if (error.code == "IDEMPOTENCY_KEY_REUSED" || error.code == "IDEMPOTENCY_IN_PROGRESS") {
        error.data = embedding::UsedKey{request.idempotency_key};
    }
    return error;
}

/// The delay that the server asks for. A date, which only proxies send, is not read.
std::optional<std::chrono::microseconds> asked_delay(const HttpResponse& response) {
    const auto found = response.headers.find("retry-after");
    if (found == response.headers.end()) return std::nullopt;
    const std::string& text = found->second;
    std::uint32_t seconds = 0;
    const char* const end = text.data() + text.size();
    const auto [read_to, error] = std::from_chars(text.data(), end, seconds);
    if (error != std::errc{} || read_to != end) return std::nullopt;
    return std::chrono::seconds{seconds};
}

bool may_repeat(const ClientRequest& request) {
    constexpr std::array<std::string_view, 4> safe{"GET", "HEAD", "PUT", "DELETE"};
    return !request.idempotency_key.empty() ||
           std::ranges::find(safe, std::string_view{request.method}) != safe.end();
}

bool passing(const HttpResponse& response) {
    constexpr std::array statuses{429, 502, 503, 504};
    return std::ranges::find(statuses, response.status) != statuses.end();
}

std::optional<Error> request_defect(const ClientOptions& options, const ClientRequest& request) {
    const auto refuse = [](const char* field, std::string why) {
        std::string detail = field + (": " + why);
        return Error{"VALIDATION_FAILED", std::move(detail),
                     embedding::InvalidFields{{field, "bad_format", std::move(why)}}};
    };
    if (!request.path.starts_with('/')) return refuse("path", "must begin with /");
    // A fragment would be cut off, and the request would concern another object.
    if (!std::ranges::all_of(request.path,
                             [](char c) { return c > ' ' && c < '\x7f' && c != '#'; })) {
        return refuse("path", "must be percent-encoded");
    }
    if (options.timeout.count() < 0) return refuse("timeout", "cannot be negative");
    if (!fits_header(options.key)) return refuse("key", "must be one line");
    if (!fits_header(request.idempotency_key)) {
        return refuse("idempotency_key", "must be one line");
    }
    if (!fits_header(request.if_match)) return refuse("if_match", "must be one line");
    if (!std::ranges::all_of(request.headers, fits_header)) {
        return refuse("headers", "must be one line each");
    }
    if (request.method.empty() ||
        !std::ranges::all_of(request.method, [](char c) { return c >= 'A' && c <= 'Z'; })) {
        return refuse("method", "must be in capitals: GET");
    }
    if (const auto why = defect_of(options.retry)) return refuse("retry", *why);
    return std::nullopt;
}

}  // namespace

Client::Client(ClientOptions options)
    : options_(std::make_shared<const ClientOptions>(std::move(options))) {}

Result<ClientAnswer> Client::call(const ClientRequest& request) const {
    if (auto error = request_defect(*options_, request)) return *std::move(error);
    if (options_->retry.stop.stop_requested()) {
        return RetryErrors<Error>::stopped();
    }
    Retries retries{options_->retry, real_timing()};
    for (;;) {
        auto response = send(*options_, request);
        if (response && done(*response)) {
            return ClientAnswer{.status = response->status,
                                .body = std::move(response->body),
                                .etag = std::move(response->headers["etag"])};
        }
        Error error = response ? refusal_of(request, *response) : response.error();
        if (!may_repeat(request) || (response && !passing(*response))) return error;
        switch (retries.wait(response ? asked_delay(*response) : std::nullopt)) {
            case Retries::Next::again:
                break;
            case Retries::Next::over:
                return error;
            case Retries::Next::stopped:
                return RetryErrors<Error>::stopped();
        }
    }
}

}  // namespace sundial
