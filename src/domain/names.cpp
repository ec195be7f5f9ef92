#include "domain/names.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.hpp"
#include "base/text.hpp"

namespace sundial {
namespace {

bool is_alphanumeric(char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9');
}

/// C0, DEL and C1, the last as the two bytes that UTF-8 makes of it.
bool has_control_character(std::string_view utf8) {
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        const auto byte = static_cast<unsigned char>(utf8[i]);
        if (byte < 0x20 || byte == 0x7f) return true;
        if (byte == 0xc2 && static_cast<unsigned char>(utf8[i + 1]) < 0xa0) return true;
    }
    return false;
}

/// Whether it has only invisible characters: Unicode's spaces and zero-width characters.
bool is_blank(std::string_view utf8) {
    constexpr std::array<std::string_view, 22> blanks{
        " ",      "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
        "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u200b", "\u2028",
        "\u2029", "\u202f", "\u205f", "\u2060", "\u3000", "\ufeff"};
    while (!utf8.empty()) {
        const auto* const blank = std::ranges::find_if(
            blanks, [&](std::string_view candidate) { return utf8.starts_with(candidate); });
        if (blank == blanks.end()) return false;
        utf8.remove_prefix(blank->size());
    }
    return true;
}

std::string characters(std::size_t limit) {
    return "1 to " + std::to_string(limit) + " characters";
}

/// 1 to `limit` letters, digits or `others`.
std::optional<FieldError> refuse_word(std::string pointer, std::string_view text,
                                      std::string_view others, std::size_t limit) {
    const auto fits = [&](char c) {
        return is_alphanumeric(c) || others.find(c) != std::string_view::npos;
    };
    if (text.empty()) {
        return FieldError{std::move(pointer), "required", "must have " + characters(limit)};
    }
    if (!std::ranges::all_of(text, fits)) {
        std::string allowed = "A-Z, a-z, 0-9";
        for (const char c : others) allowed += std::string{", "} + c;
        return FieldError{std::move(pointer), "bad_format", "may contain only " + allowed};
    }
    if (text.size() > limit) {
        return FieldError{
            std::move(pointer), "too_long",
            "has " + std::to_string(text.size()) + " characters; must have " + characters(limit)};
    }
    return std::nullopt;
}

}  // namespace

std::optional<FieldError> refuse_text(std::string pointer, std::string_view text,
                                      std::size_t limit) {
    const auto length = base::count_code_points(text);
    if (!length) return FieldError{std::move(pointer), "bad_format", "must be UTF-8"};
    if (has_control_character(text)) {
        return FieldError{std::move(pointer), "bad_format",
                          "must not contain control characters such as line breaks or tabs"};
    }
    if (is_blank(text)) {
        return FieldError{std::move(pointer), "required",
                          "must have " + characters(limit) + ", not only blanks"};
    }
    if (*length > limit) {
        return FieldError{
            std::move(pointer), "too_long",
            "has " + std::to_string(*length) + " characters; must have " + characters(limit)};
    }
    return std::nullopt;
}

std::optional<FieldError> refuse_external_id(std::string pointer, std::string_view text) {
    return refuse_text(std::move(pointer), text, 128);
}

std::optional<FieldError> refuse_idempotency_key(std::string pointer, std::string_view text) {
    return refuse_word(std::move(pointer), text, "_-", 128);
}

std::optional<FieldError> refuse_event_type(std::string pointer, std::string_view text) {
    if (text.starts_with("sundial.")) {
        return FieldError{std::move(pointer), "not_allowed",
                          "types that begin with 'sundial.' are Sundial's own"};
    }
    return refuse_word(std::move(pointer), text, "_.-", 128);
}

std::optional<FieldError> refuse_member_name(std::string pointer, std::string_view text) {
    return refuse_word(std::move(pointer), text, "_", 64);
}

std::string json_pointer(std::string_view parent, std::string_view member) {
    std::string pointer{parent};
    pointer += '/';
    for (const char c : member) {
        if (c == '~') {
            pointer += "~0";
        } else if (c == '/') {
            pointer += "~1";
        } else {
            pointer += c;
        }
    }
    return pointer;
}

namespace {

/// Whether a string of canonical JSON has U+0000, which is always written as an escape there.
bool escapes_nul(std::string_view json) {
    for (std::size_t at = json.find('\\'); at != std::string_view::npos;
         at = json.find('\\', at + 2)) {
        if (json.substr(at).starts_with("\\u0000")) return true;
    }
    return false;
}

}  // namespace

std::optional<FieldError> refuse_payload(std::string pointer, std::string_view payload) {
    if (payload.empty()) {
        return FieldError{std::move(pointer), "required", "is empty: give at least {}"};
    }
    if (payload.size() > max_payload_bytes) {
        return FieldError{std::move(pointer), "too_long",
                          "has " + std::to_string(payload.size()) + " bytes; at most " +
                              std::to_string(max_payload_bytes) + " are kept"};
    }
    const auto canonical = base::canonical_json(payload);
    if (canonical && escapes_nul(*canonical)) {
        return FieldError{std::move(pointer), "bad_format",
                          "has the character U+0000, which jsonb of PostgreSQL cannot hold"};
    }
    if (canonical) return std::nullopt;
    return FieldError{std::move(pointer), "bad_format",
                      "is not one JSON value: UTF-8, each member named once, at most 64 levels"};
}

}  // namespace sundial
