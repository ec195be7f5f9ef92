#include "adapters/http/message.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "base/check.hpp"
#include "domain/trace_context.hpp"

namespace sundial::http {
namespace {

std::optional<unsigned> hex_value(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
    return std::nullopt;
}

bool has_control_character(std::string_view text) {
    return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

/// "a=1&b=2". A parameter without '=' has an empty value; empty parameters are skipped.
bool read_query(std::string_view query, std::vector<Parameter>& parameters) {
    while (!query.empty()) {
        const std::string_view part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), part.size() + 1));
        if (part.empty()) continue;
        const std::size_t equals = part.find('=');
        auto name = percent_decoded(part.substr(0, equals), true);
        auto value = percent_decoded(
            equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1), true);
        if (!name || !value) return false;
        parameters.push_back({std::move(*name), std::move(*value)});
    }
    return true;
}

}  // namespace

void Headers::add(std::string name, std::string value) {
    fields_.push_back({std::move(name), std::move(value)});
}

void Headers::set(std::string name, std::string value) {
    std::erase_if(fields_,
                  [&](const Parameter& field) { return same_ignoring_case(field.name, name); });
    add(std::move(name), std::move(value));
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
    for (const Parameter& field : fields_) {
        if (same_ignoring_case(field.name, name)) return field.value;
    }
    return std::nullopt;
}

std::optional<std::string_view> Request::query_value(std::string_view name) const {
    const auto found = std::ranges::find(query, name, &Parameter::name);
    return found == query.end() ? std::nullopt : std::optional<std::string_view>(found->value);
}

const std::string& Request::path_value(std::string_view name) const {
    const auto found = std::ranges::find(path_parameters, name, &Parameter::name);
    base::check(found != path_parameters.end());
    return found->value;
}

Response json(int status, std::string body) {
    return text(status, "application/json", std::move(body));
}

Response text(int status, std::string content_type, std::string body) {
    return {.status = status, .content_type = std::move(content_type), .body = std::move(body)};
}

Response no_content() { return text(204, "", ""); }

std::optional<TraceContext> trace_context_of(const Headers& headers) {
    std::optional<TraceContext> found;
    std::string state;
    bool named = false;
    for (const Parameter& field : headers.all()) {
        if (same_ignoring_case(field.name, "tracestate")) state.append(field.value).append(1, ',');
        if (!same_ignoring_case(field.name, "traceparent")) continue;
        if (std::exchange(named, true)) return std::nullopt;
        found = parse_traceparent(field.value);
    }
    if (found) found->state = parse_tracestate(state);
    return found;
}

bool sane_request_id(std::string_view id) {
    return !id.empty() && id.size() <= 128 &&
           std::ranges::all_of(id, [](char c) { return c > 0x20 && c < 0x7f; });
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            if (text.size() - i < 3) return std::nullopt;
            const auto high = hex_value(text[i + 1]);
            const auto low = hex_value(text[i + 2]);
            if (!high || !low) return std::nullopt;
            decoded += static_cast<char>(*high << 4 | *low);
            i += 2;
        } else {
            decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
        }
    }
    if (!base::count_code_points(decoded) || has_control_character(decoded)) return std::nullopt;
    return decoded;
}

bool read_target(std::string_view target, Request& request) {
    if (target.starts_with("http://") || target.starts_with("https://")) {
        const std::size_t authority = target.find("//") + 2;
        const std::size_t path = std::min(target.find('/', authority), target.size());
        // RFC 9112 3.2.2: the host in the target wins over Host.
        request.headers.set("Host", std::string(target.substr(authority, path - authority)));
        target = path == target.size() ? "/" : target.substr(path);
    }
    request.target = target;
    request.query.clear();
    const std::size_t question = target.find('?');
    auto path = percent_decoded(target.substr(0, question), false);
    if (!path) return false;
    request.path = std::move(*path);
    return question == std::string_view::npos ||
           read_query(target.substr(question + 1), request.query);
}

namespace {

/// Phrases of the statuses that this server sends; a phrase may be empty (RFC 9112 4).
std::string_view phrase_for(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 201:
            return "Created";
        case 202:
            return "Accepted";
        case 204:
            return "No Content";
        case 207:
            return "Multi-Status";
        case 304:
            return "Not Modified";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 406:
            return "Not Acceptable";
        case 408:
            return "Request Timeout";
        case 409:
            return "Conflict";
        case 410:
            return "Gone";
        case 412:
            return "Precondition Failed";
        case 413:
            return "Content Too Large";
        case 414:
            return "URI Too Long";
        case 415:
            return "Unsupported Media Type";
        case 422:
            return "Unprocessable Content";
        case 425:
            return "Too Early";
        case 428:
            return "Precondition Required";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 503:
            return "Service Unavailable";
        default:
            return "";
    }
}

void append_field(std::string& head, std::string_view name, std::string_view value) {
    head += name;
    head += ": ";
    for (const char c : value) {
        head += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' '
                                                                  : c;  // prevents header injection
    }
    head += "\r\n";
}

}  // namespace

std::string http_date(std::chrono::sys_seconds time) {
    constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    std::array<char, 64> text{};
    const int length = std::snprintf(
        text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
        days.at(std::chrono::weekday(day).c_encoding()), unsigned{date.day()},
        months.at(unsigned{date.month()} - 1), int{date.year()},
        static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
        static_cast<int>(clock.seconds().count()));
    return {text.data(), static_cast<std::size_t>(length)};
}

std::string response_head(const Response& response, const AnswerContext& context) {
    const bool may_have_body =
        response.status >= 200 && response.status != 204 && response.status != 304;
    std::string head = context.http_1_1 ? "HTTP/1.1 " : "HTTP/1.0 ";
    head += std::to_string(response.status) + ' ';
    head += phrase_for(response.status);
    head += "\r\n";
    append_field(head, "Date", http_date(context.now));
    append_field(head, "X-Request-Id", context.correlation_id);
    append_field(head, "X-Content-Type-Options", "nosniff");
    for (const Parameter& field : response.headers.all()) {
        append_field(head, field.name, field.value);
    }
    if (may_have_body && !response.content_type.empty()) {
        append_field(head, "Content-Type", response.content_type);
    }
    if (response.stream) {
        append_field(head, "Cache-Control", "no-store");
        if (context.http_1_1) append_field(head, "Transfer-Encoding", "chunked");
    } else if (may_have_body) {
        append_field(head, "Content-Length", std::to_string(response.body.size()));
    }
    if (!context.keep_alive) {
        append_field(head, "Connection", "close");
    } else if (!context.http_1_1) {
        append_field(head, "Connection", "keep-alive");
    }
    return head + "\r\n";
}

namespace {

/// Returns the part before `separator`; leaves the rest in `text`.
std::string_view next_part(std::string_view& text, char separator) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return base::trimmed(part);
}

/// q=0, q=0., q=0.000
bool refuses(std::string_view parameter) {
    if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) return false;
    return parameter.substr(2).find_first_not_of("0.") == std::string_view::npos;
}

/// How exactly `range` matches `type`: 0 not at all, 1 by */*, 2 by type/*, 3 in full.
int exactness(std::string_view range, std::string_view type) {
    if (same_ignoring_case(range, type)) return 3;
    if (range == "*/*") return 1;
    const std::string_view family = type.substr(0, type.find('/') + 1);
    const bool same_family =
        range.ends_with("/*") && same_ignoring_case(range.substr(0, range.size() - 1), family);
    return same_family ? 2 : 0;
}

bool accepts(std::string_view accept, std::string_view type) {
    int best = 0;
    bool welcome = false;
    while (!accept.empty()) {
        std::string_view entry = next_part(accept, ',');
        const int fit = exactness(next_part(entry, ';'), type);
        bool refused = false;
        while (!entry.empty()) refused = refuses(next_part(entry, ';')) || refused;
        if (fit > best) {
            best = fit;
            welcome = !refused;
        }
    }
    return welcome;
}

}  // namespace

std::string media_type_of(std::string_view content_type) {
    std::string type(next_part(content_type, ';'));
    std::ranges::transform(type, type.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    while (!content_type.empty()) {
        std::string_view parameter = next_part(content_type, ';');
        const std::string_view name = next_part(parameter, '=');
        if (!same_ignoring_case(name, "charset")) continue;
        if (!same_ignoring_case(parameter, "utf-8") &&
            !same_ignoring_case(parameter, "\"utf-8\"")) {
            return "";
        }
    }
    return type;
}

bool acceptable(std::string_view accept, const std::vector<std::string>& types) {
    return base::trimmed(accept).empty() || types.empty() ||
           std::ranges::any_of(types,
                               [&](const std::string& type) { return accepts(accept, type); });
}

bool is_json(std::string_view media_type) {
    return media_type == "application/json" || media_type.ends_with("+json");
}

}  // namespace sundial::http
