#include "sundial/client.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "adapters/client/problem_text.hpp"

namespace sundial {
namespace {

using embedding::Error;
using embedding::Result;

constexpr long connect_seconds = 10;

/// The server's response, an answer or a refusal.
struct Response {
    int status = 0;
    std::string body{};
    std::map<std::string, std::string, std::less<>> headers{};  // names in lower case
};

std::size_t add_to_body(char* bytes, std::size_t size, std::size_t count, void* response) {
    static_cast<Response*>(response)->body.append(bytes, size * count);
    return size * count;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::size_t add_header(char* bytes, std::size_t size, std::size_t count, void* response) {
    const std::string_view line{bytes, size * count};
    const auto colon = line.find(':');
    if (colon != std::string_view::npos) {
        std::string name{line.substr(0, colon)};
        std::ranges::transform(name, name.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        });
        static_cast<Response*>(response)->headers.insert_or_assign(std::move(name),
                                                                   trimmed(line.substr(colon + 1)));
    }
    return size * count;
}

struct FreeHeaders {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Headers = std::unique_ptr<curl_slist, FreeHeaders>;

void add(Headers& headers, const std::string& line) {
    curl_slist* const longer = curl_slist_append(headers.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc{};
    static_cast<void>(headers.release());
    headers.reset(longer);
}

/// A line end in a header would begin another one.
bool fits_header(const std::string& text) {
    return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

Headers headers_of(const ClientOptions& options, const ClientRequest& request) {
    Headers headers;
    add(headers, "Accept: application/json");
    if (!request.body.empty()) add(headers, "Content-Type: application/json");
    if (!options.key.empty()) add(headers, "Authorization: Bearer " + options.key);
    if (!request.idempotency_key.empty()) {
        add(headers, "Idempotency-Key: " + request.idempotency_key);
    }
    if (!request.if_match.empty()) add(headers, "If-Match: " + request.if_match);
    return headers;
}

/// One try. UNREACHABLE without an answer.
Result<Response> send(const ClientOptions& options, const ClientRequest& request) {
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(),
                                                                   &curl_easy_cleanup);
    if (!curl) throw std::bad_alloc{};
    const Headers headers = headers_of(options, request);
    const std::string url = options.server + request.path;
    Response response;
    const auto set = [&curl](CURLoption option, auto value) {
        curl_easy_setopt(curl.get(), option, value);
    };
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    if (request.method == "HEAD") {
        set(CURLOPT_NOBODY, 1L);
    } else {
        set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    }
    set(CURLOPT_CONNECTTIMEOUT, connect_seconds);
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout.count()));
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_WRITEFUNCTION, &add_to_body);
    set(CURLOPT_WRITEDATA, &response);
    set(CURLOPT_HEADERFUNCTION, &add_header);
    set(CURLOPT_HEADERDATA, &response);
    const auto set_file = [&set](CURLoption option, const std::string& file) {
        if (!file.empty()) set(option, file.c_str());
    };
    set_file(CURLOPT_CAINFO, options.ca_file);
    set_file(CURLOPT_SSLCERT, options.certificate_file);
    set_file(CURLOPT_SSLKEY, options.key_file);
    if (!request.body.empty()) {
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        set(CURLOPT_POSTFIELDS, request.body.data());
    }
    if (const CURLcode code = curl_easy_perform(curl.get()); code != CURLE_OK) {
        return Error{"UNREACHABLE",
                     "no answer from " + options.server + ": " + curl_easy_strerror(code),
                     {}};
    }
    long status = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
    response.status = static_cast<int>(status);
    return response;
}

bool done(const Response& response) { return response.status >= 200 && response.status < 300; }

Error refusal_of(const Response& response) {
    const std::string status = "status " + std::to_string(response.status);
    return {client::text_member(response.body, "code").value_or("HTTP_ERROR"),
            client::text_member(response.body, "detail").value_or("the server answered " + status),
            {}};
}

/// The delay that the server asks for. A date, which only proxies send, is not read.
std::optional<std::chrono::microseconds> asked_delay(const Response& response) {
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

bool passing(const Response& response) {
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
        Error error = response ? refusal_of(*response) : response.error();
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
