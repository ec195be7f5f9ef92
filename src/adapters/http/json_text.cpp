#include "adapters/http/json.hpp"
#include "base/utf8.hpp"

namespace sundial::http {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

/// Length in bytes of the well-formed character at `at`; 0 if there is none.
std::size_t character_length(std::string_view text, std::size_t at) {
    for (std::size_t length = 1; length <= 4 && at + length <= text.size(); ++length) {
        if (base::count_code_points(text.substr(at, length)) == 1) return length;
    }
    return 0;
}

void append_ascii(std::string& out, unsigned char c) {
    switch (c) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\r':
            out += "\\r";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            break;
    }
    if (c >= 0x20) {
        out += static_cast<char>(c);
        return;
    }
    out += "\\u00";
    out += hex_digits[c >> 4];
    out += hex_digits[c & 0xf];
}

}  // namespace

std::string quoted_json(std::string_view text) {
    std::string out = "\"";
    out.reserve(text.size() + 2);
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte < 0x80) {
            append_ascii(out, byte);
            ++at;
        } else if (const std::size_t length = character_length(text, at); length > 0) {
            out += text.substr(at, length);
            at += length;
        } else {
            out += "\xEF\xBF\xBD";  // U+FFFD
            ++at;
        }
    }
    out += '"';
    return out;
}

std::string pointer_step(std::string_view name) {
    std::string step = "/";
    for (const char c : name) {
        if (c == '~') {
            step += "~0";
        } else if (c == '/') {
            step += "~1";
        } else {
            step += c;
        }
    }
    return step;
}

}  // namespace sundial::http
