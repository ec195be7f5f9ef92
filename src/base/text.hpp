#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Functions on ASCII texts: protocol fields, names of zones and rules. No locale, and no effect on
/// bytes above 127.
namespace sundial::base {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
[[nodiscard]] constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

[[nodiscard]] constexpr char lower(char c) {
    return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] constexpr char upper(char c) {
    return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}
[[nodiscard]] inline std::string lowered(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), lower);
    return result;
}

[[nodiscard]] constexpr bool same_ignoring_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower, lower);
}
/// Whether `part` occurs in `text`, ignoring case. An empty part does.
[[nodiscard]] constexpr bool contains_ignoring_case(std::string_view text, std::string_view part) {
    return part.empty() || !std::ranges::search(text, part, {}, lower, lower).empty();
}

/// `text` without leading and trailing `blanks`.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text,
                                                 std::string_view blanks = " \t") {
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The length in bytes of the well-formed UTF-8 character at the front of `text`; 0 if there is
/// none.
[[nodiscard]] std::size_t character_length(std::string_view text);

/// The number of code points, or nothing if `text` is not well-formed UTF-8 (RFC 3629: no overlong
/// forms, no surrogates, nothing past U+10FFFF).
[[nodiscard]] std::optional<std::size_t> count_code_points(std::string_view text);

/// The candidate nearest to `wrong` by edit distance, ignoring ASCII case. Empty if none is near
/// enough to be the intended one (at most a third of the length, at least 2 edits).
[[nodiscard]] std::optional<std::string> nearest(std::string_view wrong,
                                                 std::span<const std::string> candidates);

/// RFC 4648 section 4, padded.
[[nodiscard]] std::string to_base64(std::string_view bytes);
/// Accepts only the padded form; nothing for any other `text`.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);
/// Two lower-case digits for each byte.
[[nodiscard]] std::string to_hex(std::string_view bytes);

}  // namespace sundial::base
