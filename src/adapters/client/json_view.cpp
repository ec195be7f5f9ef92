#include "adapters/client/json_view.hpp"

#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include "base/text.hpp"

namespace sundial::client {
namespace {

constexpr unsigned deepest = 512;

/// Passes over JSON from front to back.
class JsonWalk {
public:
    explicit JsonWalk(std::string_view rest) : rest_(rest) {}

    [[nodiscard]] std::string_view rest() const { return rest_; }
    void skip_blanks() {
        const auto end = rest_.find_first_not_of(" \t\r\n");
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
    }
    /// Whether `c` was next, and has been passed.
    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    /// The text of the next value, without blanks around it; empty if it is not valid.
    std::string_view value(unsigned depth = 0) {
        const std::string_view before = rest_;
        if (!skip_value(depth)) return {};
        return before.substr(0, before.size() - rest_.size());
    }

private:
    bool skip_value(unsigned depth) {
        if (rest_.empty() || depth > deepest) return false;
        switch (rest_.front()) {
            case '{':
                return skip_list(depth, '}', true);
            case '[':
                return skip_list(depth, ']', false);
            case '"':
                return skip_string();
            case 't':
                return skip_word("true");
            case 'f':
                return skip_word("false");
            case 'n':
                return skip_word("null");
            default:
                return skip_number();
        }
    }
    bool skip_list(unsigned depth, char end, bool named) {
        rest_.remove_prefix(1);
        skip_blanks();
        if (take(end)) return true;
        do {
            skip_blanks();
            if (named && (!rest_.starts_with('"') || !skip_string() || !skip_colon())) return false;
            if (!skip_value(depth + 1)) return false;
            skip_blanks();
        } while (take(','));
        return take(end);
    }
    bool skip_colon() {
        skip_blanks();
        if (!take(':')) return false;
        skip_blanks();
        return true;
    }
    bool skip_string() {
        for (std::size_t i = 1; i < rest_.size(); ++i) {
            const char c = rest_[i];
            if (static_cast<unsigned char>(c) < 0x20) return false;
            if (c == '\\') ++i;
            if (c != '"') continue;
            rest_.remove_prefix(i + 1);
            return true;
        }
        return false;
    }
    bool skip_word(std::string_view word) {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    bool skip_digits() {
        const std::size_t before = rest_.size();
        while (!rest_.empty() && base::is_digit(rest_.front())) rest_.remove_prefix(1);
        return rest_.size() < before;
    }
    bool skip_number() {
        take('-');
        if (!take('0') && !skip_digits()) return false;
        if (take('.') && !skip_digits()) return false;
        if (!take('e') && !take('E')) return true;
        if (!take('+')) take('-');
        return skip_digits();
    }

    std::string_view rest_;
};

std::optional<unsigned> four_hex_digits(std::string_view text) {
    constexpr std::size_t digits = 4;
    if (text.size() < digits) return std::nullopt;
    unsigned value = 0;
    const char* const end = text.data() + digits;
    const auto [read_to, error] = std::from_chars(text.data(), end, value, 16);
    if (error != std::errc{} || read_to != end) return std::nullopt;
    return value;
}

void append_utf8(std::string& out, unsigned point) {
    const auto append = [&out](unsigned byte) { out += static_cast<char>(byte); };
    if (point < 0x80) return append(point);
    if (point < 0x800) {
        append(0xc0 | (point >> 6));
    } else {
        if (point < 0x10000) {
            append(0xe0 | (point >> 12));
        } else {
            append(0xf0 | (point >> 18));
            append(0x80 | ((point >> 12) & 0x3f));
        }
        append(0x80 | ((point >> 6) & 0x3f));
    }
    append(0x80 | (point & 0x3f));
}

/// Takes the digits after \u, and for a surrogate pair also the second half.
bool take_code_point(std::string_view& rest, std::string& out) {
    constexpr unsigned first_high = 0xd800;
    constexpr unsigned first_low = 0xdc00;
    constexpr unsigned after_low = 0xe000;
    const auto first = four_hex_digits(rest);
    if (!first) return false;
    rest.remove_prefix(4);
    unsigned point = *first;
    if (point >= first_low && point < after_low) return false;
    if (point >= first_high && point < first_low) {
        if (!rest.starts_with("\\u")) return false;
        const auto second = four_hex_digits(rest.substr(2));
        if (!second || *second < first_low || *second >= after_low) return false;
        rest.remove_prefix(6);
        point = 0x10000 + ((point - first_high) << 10) + (*second - first_low);
    }
    append_utf8(out, point);
    return true;
}

bool take_escape(std::string_view& rest, std::string& out) {
    if (rest.empty()) return false;
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == 'u') return take_code_point(rest, out);
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    const auto found = letters.find(c);
    if (found == std::string_view::npos) return false;
    out += meanings[found];
    return true;
}

}  // namespace

std::optional<JsonView> JsonView::parse(std::string_view text) {
    JsonWalk walk{text};
    walk.skip_blanks();
    const auto raw = walk.value();
    walk.skip_blanks();
    if (raw.empty() || !walk.rest().empty()) return std::nullopt;
    return JsonView{raw};
}

std::optional<JsonView> JsonView::member(std::string_view name) const {
    JsonWalk walk{raw_};
    if (!walk.take('{')) return std::nullopt;
    do {
        walk.skip_blanks();
        const auto key = JsonView{walk.value()}.text();
        walk.skip_blanks();
        if (!walk.take(':')) return std::nullopt;
        walk.skip_blanks();
        const JsonView value{walk.value()};
        if (key == name) return value.raw_ == "null" ? std::nullopt : std::optional{value};
        walk.skip_blanks();
    } while (walk.take(','));
    return std::nullopt;
}

void JsonView::for_each_member(const std::function<void(std::string, JsonView)>& each) const {
    JsonWalk walk{raw_};
    if (!walk.take('{')) return;
    walk.skip_blanks();
    if (walk.take('}')) return;
    do {
        walk.skip_blanks();
        auto key = JsonView{walk.value()}.text();
        walk.skip_blanks();
        if (!walk.take(':')) return;
        walk.skip_blanks();
        each(std::move(key).value_or(""), JsonView{walk.value()});
        walk.skip_blanks();
    } while (walk.take(','));
}

void JsonView::for_each(const std::function<void(JsonView)>& each) const {
    JsonWalk walk{raw_};
    if (!walk.take('[')) return;
    walk.skip_blanks();
    if (walk.take(']')) return;
    do {
        walk.skip_blanks();
        each(JsonView{walk.value()});
        walk.skip_blanks();
    } while (walk.take(','));
}

std::optional<std::string> JsonView::text() const {
    if (raw_.size() < 2 || raw_.front() != '"') return std::nullopt;
    std::string_view rest = raw_.substr(1, raw_.size() - 2);
    std::string out;
    while (!rest.empty()) {
        const char c = rest.front();
        rest.remove_prefix(1);
        if (c != '\\') {
            out += c;
        } else if (!take_escape(rest, out)) {
            return std::nullopt;
        }
    }
    return out;
}

std::optional<std::int64_t> JsonView::integer() const {
    std::int64_t value = 0;
    const char* const end = raw_.data() + raw_.size();
    const auto [read_to, error] = std::from_chars(raw_.data(), end, value);
    if (raw_.empty() || error != std::errc{} || read_to != end) return std::nullopt;
    return value;
}

std::string JsonView::text_of(std::string_view name) const {
    const auto found = member(name);
    return found ? found->text().value_or("") : "";
}

std::uint64_t JsonView::number_of(std::string_view name) const {
    const auto found = member(name);
    const std::int64_t number = found ? found->integer().value_or(0) : 0;
    return number < 0 ? 0 : static_cast<std::uint64_t>(number);
}

bool JsonView::is_true(std::string_view name) const {
    const auto found = member(name);
    return found && found->is_true();
}

}  // namespace sundial::client
