#include "base/log.hpp"

#include <algorithm>
#include <cstddef>

#include "base/text.hpp"

namespace sundial::base {
namespace {

constexpr std::string_view stars = "***";
constexpr std::string_view token_characters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=";  // RFC 6750

std::size_t find_ignoring_case(std::string_view text, std::string_view word, std::size_t from) {
    const auto found =
        std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), word.begin(),
                    word.end(), [](char a, char b) { return lower(a) == lower(b); });
    return found == text.end() ? std::string_view::npos
                               : static_cast<std::size_t>(found - text.begin());
}

/// Replaces the token after each `word` by stars, except its first `kept` characters.
std::string without_tokens(std::string text, std::string_view word, std::size_t kept) {
    for (std::size_t at = find_ignoring_case(text, word, 0); at != std::string::npos;
         at = find_ignoring_case(text, word, at)) {
        at += word.size();
        const std::size_t end = std::min(text.find_first_not_of(token_characters, at), text.size());
        const std::size_t from = std::min(at + kept, end);
        if (from == end) continue;
        text.replace(from, end - from, stars);
        at = from + stars.size();
    }
    return text;
}

/// Whether the URL whose "://" is there is of a database or a lock server.
bool names_store(std::string_view text, std::size_t there) {
    const std::string_view before = text.substr(0, there);
    return before.ends_with("postgresql") || before.ends_with("postgres") ||
           before.ends_with("redis");
}

/// Removes the password from `scheme://user:password@`. People forget to escape the passwords of
/// stores, and libpq takes a ? and a #, so these end at the last @.
std::string without_passwords(std::string text) {
    for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at)) {
        const char* const ends = names_store(text, at) ? " '\"\t\r\n" : "/?# '\"\t\r\n";
        at += 3;
        const std::size_t end =
            std::min({text.find_first_of(ends, at), text.find("://", at), text.size()});
        const std::size_t sign = text.rfind('@', end);
        if (sign == std::string::npos || sign < at || sign >= end) continue;
        const std::size_t colon = text.find(':', at);
        if (colon >= sign) continue;
        text.replace(colon + 1, sign - colon - 1, stars);
    }
    return text;
}

/// The end of a value of libpq's `keyword = value` form, which starts at `from`: quoted with
/// escapes, or up to a space, or in a URL's query up to the next parameter.
std::size_t end_of_value(std::string_view text, std::size_t from) {
    if (from == text.size() || text[from] != '\'') {
        for (; from < text.size() &&
               std::string_view(" \t\r\n&#\"'").find(text[from]) == std::string_view::npos;
             ++from) {
            if (text[from] == '\\' && from + 1 < text.size()) ++from;
        }
        return from;
    }
    for (++from; from < text.size() && text[from] != '\''; ++from) {
        if (text[from] == '\\' && from + 1 < text.size()) ++from;
    }
    return std::min(from + 1, text.size());
}

/// Replaces the value of `password=` and `sslpassword=`, as libpq's connection strings have them.
std::string without_password_values(std::string text) {
    constexpr std::string_view word = "password";
    for (std::size_t at = find_ignoring_case(text, word, 0); at != std::string::npos;
         at = find_ignoring_case(text, word, at)) {
        at += word.size();
        std::size_t from = std::min(text.find_first_not_of(' ', at), text.size());
        if (from == text.size() || text[from] != '=') continue;
        from = std::min(text.find_first_not_of(' ', from + 1), text.size());
        const std::size_t end = end_of_value(text, from);
        if (end == from) continue;
        text.replace(from, end - from, stars);
        at = from + stars.size();
    }
    return text;
}

}  // namespace

std::string redacted(std::string_view text) {
    constexpr std::size_t names_a_key = 11;  // its ten characters, not secret, and an underscore
    std::string clean = without_password_values(without_passwords(std::string(text)));
    clean = without_tokens(std::move(clean), "bearer ", 0);
    clean = without_tokens(std::move(clean), "whsec_", 0);
    return without_tokens(std::move(clean), "sundial_sk_", names_a_key);
}

}  // namespace sundial::base
