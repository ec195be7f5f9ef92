#include "adapters/otlp/collector.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <memory>

#include "base/text.hpp"

namespace sundial::otlp {
namespace {

constexpr std::size_t max_response_bytes = 64 * 1024;
constexpr std::chrono::seconds max_retry_after{60};
constexpr const char* path = "/v1/traces";

struct Response {
    std::string body, retry_after;
};

std::size_t take_body(char* piece, std::size_t size, std::size_t count, void* into) {
    auto& body = static_cast<Response*>(into)->body;
    if (body.size() + size * count > max_response_bytes) return 0;
    body.append(piece, size * count);
    return size * count;
}

std::size_t take_head_line(char* line, std::size_t size, std::size_t count, void* into) {
    const std::string_view text(line, size * count);
    const auto colon = text.find(':');
    if (colon != std::string_view::npos &&
        base::same_ignoring_case(text.substr(0, colon), "retry-after")) {
        static_cast<Response*>(into)->retry_after =
            base::trimmed(text.substr(colon + 1), " \t\r\n");
    }
    return size * count;
}

int stop_export(void* stopping, curl_off_t /*total*/, curl_off_t /*now*/, curl_off_t /*to_send*/,
                curl_off_t /*sent*/) {
    return static_cast<const std::atomic<bool>*>(stopping)->load() ? 1 : 0;
}

std::optional<char> escaped(std::string_view digits) {
    unsigned value = 0;
    if (digits.size() != 2) return std::nullopt;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return static_cast<char>(value);
}

/// An int64 of JSON's protobuf encoding: a number, or a string of digits.
std::uint64_t count_in(const boost::json::value& value) {
    if (value.is_int64()) {
        return value.get_int64() > 0 ? static_cast<std::uint64_t>(value.get_int64()) : 0;
    }
    std::uint64_t count = 0;
    if (const auto* text = value.if_string()) {
        std::from_chars(text->data(), text->data() + text->size(), count);
    }
    return count;
}

/// ExportTracePartialSuccess. A body in another format means that the collector accepted all spans.
void read_partial_success(const std::string& body, Receipt& receipt) {
    boost::system::error_code broken;
    const auto value = boost::json::parse(body, broken);
    const auto* response = broken ? nullptr : value.if_object();
    const auto* partial = response == nullptr ? nullptr : response->if_contains("partialSuccess");
    const auto* members = partial == nullptr ? nullptr : partial->if_object();
    if (members == nullptr) return;
    if (const auto* rejected = members->if_contains("rejectedSpans")) {
        receipt.rejected = count_in(*rejected);
    }
}

}  // namespace

std::optional<std::string> refuse_endpoint(const std::string& endpoint) {
    const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), &curl_url_cleanup);
    const bool web = endpoint.starts_with("http://") || endpoint.starts_with("https://");
    const CURLUcode code =
        curl_url_set(url.get(), CURLUPART_URL, endpoint.c_str(), CURLU_DISALLOW_USER);
    // The settings show the endpoint, but never the headers.
    if (web && code == CURLUE_USER_NOT_ALLOWED) {
        return "takes a URL without a user and a password: set them by traces.headers";
    }
    if (!web || code != CURLUE_OK) {
        return "takes a URL of http or https, such as http://127.0.0.1:4318";
    }
    if (endpoint.find_first_of("?#") != std::string::npos) {
        return "takes a URL without a query";
    }
    if (endpoint.ends_with(path)) return std::string("takes the URL without ") + path;
    return std::nullopt;
}

std::optional<std::pair<std::string, std::string>> header_in(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view name = base::trimmed(text.substr(0, equals));
    const bool is_name = !name.empty() && name.find_first_not_of(
                                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
                                              "YZ0123456789-_") == std::string_view::npos;
    if (!is_name) return std::nullopt;
    const std::string_view given = base::trimmed(text.substr(equals + 1));
    std::string value;
    for (std::size_t i = 0; i < given.size(); ++i) {
        char c = given[i];
        if (c == '%') {
            const auto decoded = escaped(given.substr(i + 1, 2));
            if (!decoded) return std::nullopt;
            c = *decoded;
            i += 2;
        }
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return std::nullopt;
        value += c;
    }
    return std::pair{std::string(name), std::move(value)};
}

Receipt receipt_of(long status, const std::string& retry_after, const std::string& body) {
    Receipt receipt;
    if (status >= 200 && status < 300) {
        receipt.result = Receipt::Result::accepted;
        read_partial_success(body, receipt);
        return receipt;
    }
    receipt.reason = "HTTP status " + std::to_string(status);
    const bool temporary = status == 429 || status == 502 || status == 503 || status == 504;
    if (!temporary) {
        receipt.result = Receipt::Result::refused;
        return receipt;
    }
    unsigned requested = 0;
    const char* const end = retry_after.data() + retry_after.size();
    if (std::from_chars(retry_after.data(), end, requested).ptr == end && !retry_after.empty()) {
        receipt.after = std::min(std::chrono::seconds(requested), max_retry_after);
    }
    return receipt;
}

Receipt send_batch(const CollectorSettings& settings, const std::string& body,
                   const std::atomic<bool>& stopping) {
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> owned(curl_easy_init(),
                                                                    &curl_easy_cleanup);
    CURL* const curl = owned.get();
    if (curl == nullptr) return {.reason = "libcurl cannot start a request"};
    curl_slist* list = curl_slist_append(nullptr, "Content-Type: application/json");
    list = curl_slist_append(list, "Expect:");
    for (const auto& [name, value] : settings.headers) {
        list = curl_slist_append(list, (name + ": " + value).c_str());
    }
    const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(list,
                                                                              &curl_slist_free_all);
    const bool slash = settings.endpoint.ends_with('/');
    const std::string url = settings.endpoint.substr(0, settings.endpoint.size() - slash) + path;
    Response response;
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_USERAGENT, settings.user_agent.c_str());
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
    if (!settings.ca_file.empty()) {
        curl_easy_setopt(curl, CURLOPT_CAINFO, settings.ca_file.c_str());
    }
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(settings.timeout.count()));
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &take_head_line);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &response);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &stop_export);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &stopping);
    const CURLcode code = curl_easy_perform(curl);
    if (code != CURLE_OK) return {.reason = curl_easy_strerror(code)};
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return receipt_of(status, response.retry_after, response.body);
}

}  // namespace sundial::otlp
