#include "base/uuid.hpp"

#include <cstring>

namespace sundial::base {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

bool dash_after(std::size_t byte) { return byte == 3 || byte == 5 || byte == 7 || byte == 9; }

std::optional<std::uint8_t> hex_value(char c) {
    if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<std::uint8_t>(c - 'A' + 10);
    return std::nullopt;
}

}  // namespace

std::string to_string(const Uuid& uuid) {
    std::string text;
    text.reserve(36);
    for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
        text += hex_digits[uuid.bytes[i] >> 4];
        text += hex_digits[uuid.bytes[i] & 0xf];
        if (dash_after(i)) text += '-';
    }
    return text;
}

std::optional<Uuid> parse_uuid(std::string_view text) {
    if (text.size() != 36) return std::nullopt;
    Uuid uuid;
    std::size_t at = 0;
    for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
        const auto high = hex_value(text[at]);
        const auto low = hex_value(text[at + 1]);
        if (!high || !low) return std::nullopt;
        uuid.bytes[i] = static_cast<std::uint8_t>(*high << 4 | *low);
        at += 2;
        if (dash_after(i) && text[at++] != '-') return std::nullopt;
    }
    return uuid;
}

}  // namespace sundial::base

std::size_t std::hash<sundial::base::Uuid>::operator()(
    const sundial::base::Uuid& uuid) const noexcept {
    std::size_t tail = 0;  // the random half; the first half of a version 7 id is mostly time
    std::memcpy(&tail, uuid.bytes.data() + 8, sizeof tail);
    return tail;
}
