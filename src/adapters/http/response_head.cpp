#include "adapters/http/response_head.hpp"

#include <array>
#include <cstdio>

namespace sundial::http {
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

}  // namespace sundial::http
