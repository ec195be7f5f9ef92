#include "base/text.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

namespace sundial::base {

// RFC 3629, section 4.
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const auto within = [&](std::size_t i, unsigned low, unsigned high) {
        return i < text.size() && byte(i) >= low && byte(i) <= high;
    };
    const auto tail = [&](std::size_t i) { return within(i, 0x80, 0xBF); };
    if (text.empty()) return 0;
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

std::optional<std::size_t> count_code_points(std::string_view text) {
    std::size_t count = 0;
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        if (length == 0) return std::nullopt;
        text.remove_prefix(length);
        ++count;
    }
    return count;
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0U);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view wrong,
                                   std::span<const std::string> candidates) {
    constexpr std::size_t longest_word =
        64;  // longer than any known name; bounds the cost of hostile input
    if (wrong.empty() || wrong.size() > longest_word) return std::nullopt;
    std::size_t best = std::max<std::size_t>(2, wrong.size() / 3) + 1;
    const std::string* found = nullptr;
    for (const std::string& candidate : candidates) {
        const std::size_t difference = candidate.size() > wrong.size()
                                           ? candidate.size() - wrong.size()
                                           : wrong.size() - candidate.size();
        if (difference >= best) continue;
        if (const std::size_t distance = edit_distance(wrong, candidate); distance < best) {
            best = distance;
            found = &candidate;
        }
    }
    return found == nullptr ? std::nullopt : std::optional(*found);
}

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

std::string to_hex(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += digits[byte >> 4U];
        text += digits[byte & 0xfU];
    }
    return text;
}

}  // namespace sundial::base
