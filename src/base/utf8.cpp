#include "base/utf8.hpp"

#include <cstdint>

namespace sundial::base {
namespace {

/// Length in bytes of the well-formed sequence at the front of `text` (RFC 3629 section 4); 0 if
/// there is none.
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const auto within = [&](std::size_t i, unsigned low, unsigned high) {
        return i < text.size() && byte(i) >= low && byte(i) <= high;
    };
    const auto tail = [&](std::size_t i) { return within(i, 0x80, 0xBF); };
    const unsigned lead = byte(0);
    if (lead <= 0x7F) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
    if (lead >= 0xE0 && lead <= 0xEF) {
        const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
        const unsigned high = lead == 0xED ? 0x9F : 0xBF;
        return within(1, low, high) && tail(2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
        const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
        return within(1, low, high) && tail(2) && tail(3) ? 4 : 0;
    }
    return 0;
}

}  // namespace

std::optional<std::size_t> count_code_points(std::string_view text) {
    std::size_t count = 0;
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        if (length == 0) return std::nullopt;
        text.remove_prefix(length);
        ++count;
    }
    return count;
}

}  // namespace sundial::base
