#include "adapters/redis/url.hpp"

#include <charconv>
#include <optional>

#include "application/ports/failures.hpp"

namespace sundial::redis {
namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw CannotStart{"locks.url: " + why +
                      "; a lock server is redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]"};
}

int number(std::string_view text, int max, const std::string& what) {
    int value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > max) {
        refuse(what + " is a number up to " + std::to_string(max));
    }
    return value;
}

std::string decoded(std::string_view text) {
    std::string bytes;
    while (!text.empty()) {
        if (text.front() != '%') {
            bytes += text.front();
            text.remove_prefix(1);
            continue;
        }
        unsigned value = 0;
        const std::string_view digits = text.substr(1, 2);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) {
            refuse("a % stands before two hexadecimal digits");
        }
        bytes += static_cast<char>(value);
        text.remove_prefix(3);
    }
    return bytes;
}

/// Removes the text up to position `separator` from `text`. Returns it without the separator.
std::optional<std::string_view> cut(std::string_view& text, std::size_t separator) {
    if (separator == std::string_view::npos) return std::nullopt;
    const std::string_view before = text.substr(0, separator);
    text.remove_prefix(separator + 1);
    return before;
}

}  // namespace

Address parse_url(std::string_view url) {
    constexpr std::string_view scheme = "redis://";
    if (!url.starts_with(scheme)) refuse("not a redis:// URL (TLS is not supported)");
    std::string_view rest = url.substr(scheme.size());
    Address address;
    if (auto who = cut(rest, rest.rfind('@'))) {
        if (const auto user = cut(*who, who->find(':'))) address.user = decoded(*user);
        address.password = decoded(*who);
    }
    std::string_view place = rest;
    if (const auto before = cut(rest, rest.find('/'))) {
        place = *before;
        if (!rest.empty()) address.database = number(rest, 1'000'000, "the database");
    }
    const std::size_t bracket = place.find(']');
    const std::size_t colon =
        place.find(':', place.starts_with('[') && bracket != std::string_view::npos ? bracket : 0);
    if (colon != std::string_view::npos) {
        address.port = number(place.substr(colon + 1), 65'535, "the port");
        place = place.substr(0, colon);
    }
    if (place.starts_with('[') && place.ends_with(']')) place = place.substr(1, place.size() - 2);
    if (place.empty()) refuse("no host");
    address.host = place;
    return address;
}

}  // namespace sundial::redis
