#include "base/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace sundial::base {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t here = std::min<std::size_t>(3, bytes.size() - at);
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            group = group << 8 | (i < here ? static_cast<std::uint8_t>(bytes[at + i]) : 0U);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            text += i <= here ? alphabet[group >> (18 - 6 * i) & 63] : '=';
        }
    }
    return text;
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    for (std::size_t at = 0; at < text.size(); at += 4) {
        std::string_view digits = text.substr(at, 4);
        if (at + 4 == text.size()) digits = digits.substr(0, digits.find_last_not_of('=') + 1);
        if (digits.size() < 2) return std::nullopt;
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t value = i < digits.size() ? alphabet.find(digits[i]) : 0;
            if (value == std::string_view::npos) return std::nullopt;
            group = group << 6 | static_cast<std::uint32_t>(value);
        }
        for (std::size_t i = 0; i + 1 < digits.size(); ++i) {
            bytes += static_cast<char>(group >> (16 - 8 * i) & 255);
        }
    }
    if (to_base64(bytes) != text) return std::nullopt;  // unused last bits that are not zero
    return bytes;
}

}  // namespace sundial::base
