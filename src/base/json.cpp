#include "base/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <vector>

#include "base/text.hpp"

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

namespace {

constexpr int deepest = 64;

bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

/// The position of a written member: its name, a colon and its value.
struct Member {
    std::size_t begin, name_end, end;
};

/// Sorts the members, which fill the text from the first one on, each followed by a comma. False if
/// two have the same name.
bool put_in_order(std::string& out, std::vector<Member>& members) {
    const auto name_of = [&out](const Member& member) {
        return std::string_view{out}.substr(member.begin, member.name_end - member.begin);
    };
    if (std::ranges::adjacent_find(members, std::greater_equal{}, name_of) == members.end()) {
        return true;  // usually the writer sorted them
    }
    const std::size_t begin = members.front().begin;
    std::ranges::sort(members, {}, name_of);
    if (std::ranges::adjacent_find(members, {}, name_of) != members.end()) return false;
    std::string sorted;
    sorted.reserve(out.size() - begin);
    for (const Member& member : members) {
        sorted.append(out, member.begin, member.end - member.begin) += ',';
    }
    out.replace(begin, out.size() - begin, sorted);
    return true;
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0U | (code >> 6U));
        put(0x80U | (code & 0x3fU));
    } else if (code < 0x10000) {
        put(0xe0U | (code >> 12U));
        put(0x80U | ((code >> 6U) & 0x3fU));
        put(0x80U | (code & 0x3fU));
    } else {
        put(0xf0U | (code >> 18U));
        put(0x80U | ((code >> 12U) & 0x3fU));
        put(0x80U | ((code >> 6U) & 0x3fU));
        put(0x80U | (code & 0x3fU));
    }
}

/// Reads one value after another; each function returns whether it found its token.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_{text} {}

    bool value(std::string& out, int depth = 0) {
        skip_space();
        if (rest_.empty()) return false;
        switch (rest_.front()) {
            case '{':
                return object(out, depth);
            case '[':
                return array(out, depth);
            case '"':
                return string(out);
            case 't':
                return word("true", out);
            case 'f':
                return word("false", out);
            case 'n':
                return word("null", out);
            default:
                return number(out);
        }
    }
    bool at_end() {
        skip_space();
        return rest_.empty();
    }

private:
    void skip_space() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    }
    bool take(char c) {
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool take_after_space(char c) {
        skip_space();
        return take(c);
    }

    bool object(std::string& out, int depth) {
        if (depth == deepest) return false;
        take('{');
        out += '{';
        std::vector<Member> members;
        if (!take_after_space('}')) {
            do {
                Member& member = members.emplace_back();
                member.begin = out.size();
                skip_space();
                if (!string(out) || !take_after_space(':')) return false;
                member.name_end = out.size();
                out += ':';
                if (!value(out, depth + 1)) return false;
                member.end = out.size();
                out += ',';
            } while (take_after_space(','));
            if (!take_after_space('}') || !put_in_order(out, members)) return false;
            out.pop_back();
        }
        out += '}';
        return true;
    }

    bool array(std::string& out, int depth) {
        if (depth == deepest) return false;
        take('[');
        out += '[';
        if (!take_after_space(']')) {
            do {
                if (!value(out, depth + 1)) return false;
                out += ',';
            } while (take_after_space(','));
            if (!take_after_space(']')) return false;
            out.pop_back();
        }
        out += ']';
        return true;
    }

    bool string(std::string& out) {
        if (!take('"')) return false;
        return plain_string(out) || other_string(out);
    }

    /// Most strings are ASCII without escapes: they are copied unchanged.
    bool plain_string(std::string& out) {
        const auto length =
            static_cast<std::size_t>(std::ranges::find_if_not(rest_, is_plain) - rest_.begin());
        if (length == rest_.size() || rest_[length] != '"') return false;
        out += '"';
        out += rest_.substr(0, length + 1);
        rest_.remove_prefix(length + 1);
        return true;
    }

    /// Continues after the opening quotation mark.
    bool other_string(std::string& out) {
        std::string text;
        while (!rest_.empty() && rest_.front() != '"') {
            if (static_cast<unsigned char>(rest_.front()) < 0x20) return false;
            if (take('\\')) {
                if (!escape(text)) return false;
            } else {
                text += rest_.front();
                rest_.remove_prefix(1);
            }
        }
        if (!take('"') || !count_code_points(text)) return false;
        append_json_string(out, text);
        return true;
    }

    bool escape(std::string& text) {
        if (rest_.empty()) return false;
        const char c = rest_.front();
        rest_.remove_prefix(1);
        static constexpr std::string_view names = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
        if (const auto at = names.find(c); at != std::string_view::npos) {
            text += meant[at];
            return true;
        }
        const auto high = c == 'u' ? four_digits() : std::nullopt;
        if (!high) return false;
        if (*high < 0xd800 || *high > 0xdfff) {
            append_utf8(text, *high);
            return true;
        }
        if (*high > 0xdbff || !take('\\') || !take('u')) return false;
        const auto low = four_digits();
        if (!low || *low < 0xdc00 || *low > 0xdfff) return false;
        append_utf8(text, 0x10000 + ((*high - 0xd800) << 10U) + (*low - 0xdc00));
        return true;
    }

    std::optional<std::uint32_t> four_digits() {
        if (rest_.size() < 4) return std::nullopt;
        std::uint32_t code = 0;
        for (const char c : rest_.substr(0, 4)) {
            static constexpr std::string_view digits = "0123456789abcdef", big = "ABCDEF";
            auto digit = digits.find(c);
            if (digit == std::string_view::npos) {
                digit = big.find(c);
                if (digit == std::string_view::npos) return std::nullopt;
                digit += 10;
            }
            code = code * 16 + static_cast<std::uint32_t>(digit);
        }
        rest_.remove_prefix(4);
        return code;
    }

    bool word(std::string_view text, std::string& out) {
        if (!rest_.starts_with(text)) return false;
        rest_.remove_prefix(text.size());
        out += text;
        return true;
    }

    bool digits(std::string& out) {
        bool some = false;
        for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1)) {
            out += rest_.front();
            some = true;
        }
        return some;
    }

    bool number(std::string& out) {
        if (take('-')) out += '-';
        if (take('0')) {
            out += '0';
        } else if (!digits(out)) {
            return false;
        }
        if (take('.')) {
            out += '.';
            if (!digits(out)) return false;
        }
        if (!rest_.empty() && (rest_.front() == 'e' || rest_.front() == 'E')) {
            rest_.remove_prefix(1);
            out += 'e';
            if (!rest_.empty() && (rest_.front() == '-' || rest_.front() == '+')) {
                out += rest_.front();
                rest_.remove_prefix(1);
            }
            if (!digits(out)) return false;
        }
        return true;
    }

    std::string_view rest_;
};

}  // namespace

std::optional<std::string> canonical_json(std::string_view json) {
    Reader reader{json};
    std::string out;
    out.reserve(json.size());
    if (!reader.value(out) || !reader.at_end()) return std::nullopt;
    return out;
}

}  // namespace sundial::base
