#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sundial::base {

/// Appends `text` as a JSON string, quotes included (RFC 8259). `text` must be well-formed UTF-8.
/// Escapes only the characters that need it.
void append_json_string(std::string& out, std::string_view text);

/// Writes one JSON value, member by member, and adds commas and quotes. Numbers that JSON does not
/// have (NaN, infinity) become null.
class JsonWriter {
public:
    JsonWriter& begin_object() { return open('{'); }
    JsonWriter& end_object() { return close('}'); }
    JsonWriter& begin_array() { return open('['); }
    JsonWriter& end_array() { return close(']'); }
    JsonWriter& key(std::string_view name);
    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(double number);
    template <std::integral Integer>
    JsonWriter& value(Integer number) {
        if constexpr (std::same_as<Integer, bool>) {
            return raw(number ? "true" : "false");
        } else {
            return raw(std::to_string(number));
        }
    }
    template <class T>
    JsonWriter& value(const std::optional<T>& maybe) {
        return maybe ? value(*maybe) : null();
    }
    JsonWriter& null() { return raw("null"); }
    /// Appends `json`, which must be a JSON value, byte for byte.
    JsonWriter& raw(std::string_view json);

    template <class T>
    JsonWriter& member(std::string_view name, const T& of) {
        return key(name).value(of);
    }

    [[nodiscard]] const std::string& text() const& { return text_; }
    [[nodiscard]] std::string text() && { return std::move(text_); }

private:
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    void separate();

    std::string text_;
    bool comma_ = false;  // the next value needs a comma before it
};

/// Returns the same text for all texts of one JSON value (RFC 8259): no white space, members sorted
/// by name (byte by byte), and one way to escape strings. Numbers stay as they were written: 1 and
/// 1.0 are two values. Empty if `json` is not one value, is nested deeper than 64, names a member
/// twice, or has a string that is not UTF-8.
[[nodiscard]] std::optional<std::string> canonical_json(std::string_view json);

}  // namespace sundial::base
