#include "adapters/http/api/paging.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>

#include "adapters/http/api/problems.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"
#include "domain/time/types.hpp"

namespace sundial::http {
namespace {

/// A cursor is bound to the route and to every parameter except those that move through the list.
/// FNV-1a is stable across builds. It guards against mistakes, not against malice.
std::string list_fingerprint(const Request& request) {
    std::uint64_t hash = 14695981039346656037U;
    const auto add = [&](std::string_view text) {
        for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
        hash = (hash ^ 0xFFU) * 1099511628211U;
    };
    add(request.path);
    for (const auto& [name, value] : request.query) {
        if (name == "limit" || name == "cursor" || name == "count" || name == "expand") continue;
        add(name);
        add(value);
    }
    return std::to_string(hash);
}

/// RFC 4648 section 5 without padding, so that URLs need no escapes.
std::string to_url_text(std::string_view bytes) {
    std::string text = base::to_base64(bytes);
    text.erase(text.find_last_not_of('=') + 1);
    for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
    return text;
}

std::optional<std::string> from_url_text(std::string text) {
    for (char& c : text) c = c == '-' ? '+' : c == '_' ? '/' : c;
    text.append((4 - text.size() % 4) % 4, '=');
    return base::from_base64(text);
}

constexpr std::size_t uuid_length = 36;

std::string cursor_for(const Request& request, const PageKey& last) {
    return to_url_text(list_fingerprint(request) + ' ' + base::to_string(last.id) + last.value);
}

/// Within the range of an instant: a database refuses years that it does not support.
bool is_number(std::string_view text) {
    constexpr Instant earliest = std::chrono::sys_days{std::chrono::year{1} / 1 / 1};
    constexpr Instant latest = std::chrono::sys_days{std::chrono::year{10'000} / 1 / 1};
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() &&
           number >= earliest.time_since_epoch().count() &&
           number < latest.time_since_epoch().count();
}

/// Not empty, well-formed, and without NUL, which no database stores in a text.
bool is_text(std::string_view text) {
    return !text.empty() && text.find('\0') == std::string_view::npos &&
           base::count_code_points(text).has_value();
}

/// Whether a row can have this value. Rows without a value have an empty one.
bool can_be(SortValue sorted_by, std::string_view value) {
    switch (sorted_by) {
        case SortValue::none:
            return value.empty();
        case SortValue::text:
            return is_text(value);
        case SortValue::number:
            return is_number(value);
        case SortValue::optional_number:
            break;
    }
    return value.empty() || is_number(value);
}

std::optional<PageKey> place_of(std::string_view cursor, const Request& request,
                                SortValue sorted_by) {
    const auto text = from_url_text(std::string(cursor));
    const std::string fingerprint = list_fingerprint(request) + ' ';
    if (!text || !text->starts_with(fingerprint)) return std::nullopt;
    const std::string_view place = std::string_view(*text).substr(fingerprint.size());
    const auto id = base::parse_uuid(place.substr(0, uuid_length));
    if (!id) return std::nullopt;
    const std::string_view value = place.substr(uuid_length);
    if (!can_be(sorted_by, value)) return std::nullopt;
    return PageKey{std::string(value), *id};
}

}  // namespace

base::Result<PageRequest, Problem> page_request(const Request& request, SortValue sorted_by) {
    PageRequest page;
    if (const auto limit = request.query_value("limit")) {
        std::from_chars(limit->data(), limit->data() + limit->size(), page.limit);
    }
    page.descending = request.query_value("sort").value_or("").starts_with('-');
    if (const auto cursor = request.query_value("cursor")) {
        page.after = place_of(*cursor, request, sorted_by);
        if (!page.after) return invalid_cursor();
    }
    return page;
}

Response end_page(base::JsonWriter json, const Request& request, bool has_more, const PageKey& last,
                  const std::optional<BoundedCount>& total) {
    json.end_array().member("hasMore", has_more);
    const std::string cursor = has_more ? cursor_for(request, last) : "";
    json.key("nextCursor");
    if (has_more) {
        json.value(cursor);
    } else {
        json.null();
    }
    if (total) {
        json.member("totalCount", total->count).member("totalCountComplete", total->complete);
    }
    Response response = http::json(200, std::move(json.end_object()).text());
    if (has_more) {
        std::string next = request.target.substr(0, request.target.find('?')) + '?';
        const auto mark = request.target.find('?');
        std::string_view rest = mark == std::string::npos
                                    ? std::string_view{}
                                    : std::string_view(request.target).substr(mark + 1);
        while (!rest.empty()) {
            const auto end = rest.find('&');
            if (const auto parameter = rest.substr(0, end); !parameter.starts_with("cursor="))
                next.append(parameter) += '&';
            rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
        }
        response.headers.add("Link", '<' + next + "cursor=" + cursor + ">; rel=\"next\"");
    }
    return response;
}

}  // namespace sundial::http
