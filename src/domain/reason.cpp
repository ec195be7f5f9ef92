#include "domain/reason.hpp"

#include "base/utf8.hpp"

namespace sundial {
namespace {

constexpr std::string_view no_character = "\uFFFD";

/// The first character of `text`; empty if it is not valid UTF-8.
std::string_view first_character(std::string_view text) {
    constexpr std::size_t max_bytes = 4;
    for (std::size_t bytes = 1; bytes <= max_bytes && bytes <= text.size(); ++bytes) {
        if (base::count_code_points(text.substr(0, bytes)) == 1) return text.substr(0, bytes);
    }
    return {};
}

/// C0, DEL and C1, the last as the two bytes that UTF-8 makes of it.
bool is_control(std::string_view character) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
    return byte(0) == 0xc2 && byte(1) < 0xa0;
}

}  // namespace

std::string storable_reason(std::string_view text) {
    std::string reason;
    for (std::size_t length = 0; length < longest_reason && !text.empty(); ++length) {
        const std::string_view character = first_character(text);
        if (character.empty()) {
            reason += no_character;
            text.remove_prefix(1);
            continue;
        }
        reason += is_control(character) ? " " : character;
        text.remove_prefix(character.size());
    }
    return reason;
}

}  // namespace sundial
