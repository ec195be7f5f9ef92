#include "base/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace sundial::base {
namespace {

void append_escaped(std::string& out, char c) {
    constexpr std::string_view hex = "0123456789abcdef";
    switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        default: {
            const auto byte = static_cast<unsigned char>(c);
            out += "\\u00";
            out += hex[byte >> 4U];
            out += hex[byte & 15U];
        }
    }
}

bool has_to_be_escaped(char c) {
    return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    auto plain = text.begin();  // start of the text not yet written
    for (auto at = plain; at != text.end(); ++at) {
        if (!has_to_be_escaped(*at)) continue;
        out.append(plain, at);
        append_escaped(out, *at);
        plain = at + 1;
    }
    out.append(plain, text.end());
    out += '"';
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    append_json_string(text_, name);
    text_ += ':';
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
    separate();
    append_json_string(text_, text);
    return *this;
}

JsonWriter& JsonWriter::value(double number) {
    if (!std::isfinite(number)) return null();
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return raw(std::string_view(digits.data(), end));
}

JsonWriter& JsonWriter::raw(std::string_view json) {
    separate();
    text_ += json;
    return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
    separate();
    text_ += bracket;
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    text_ += bracket;
    comma_ = true;
    return *this;
}

void JsonWriter::separate() {
    if (comma_) text_ += ',';
    comma_ = true;
}

}  // namespace sundial::base
