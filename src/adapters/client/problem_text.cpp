#include "adapters/client/problem_text.hpp"

#include <charconv>
#include <cstddef>
#include <system_error>

namespace sundial::client {
namespace {

/// Reads a JSON text from front to back.
class JsonReader {
public:
    explicit JsonReader(std::string_view rest) : rest_(rest) {}

    [[nodiscard]] bool at_end() const { return rest_.empty(); }
    char take() {
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }
    void skip_blanks() {
        const auto end = rest_.find_first_not_of(" \t\r\n");
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
    }
    [[nodiscard]] bool is_at(char c) const { return rest_.starts_with(c); }

    /// A string, after its first quote.
    std::optional<std::string> text() {
        std::string text;
        while (!at_end()) {
            const char c = take();
            if (c == '"') return text;
            if (c != '\\') {
                text += c;
                continue;
            }
            if (at_end() || !escaped(take(), text)) return std::nullopt;
        }
        return std::nullopt;
    }

private:
    bool escaped(char c, std::string& text) {
        switch (c) {
            case 'n':
                text += '\n';
                return true;
            case 't':
                text += '\t';
                return true;
            case 'r':
                text += '\r';
                return true;
            case 'b':
            case 'f':
                text += ' ';
                return true;
            case 'u':
                return code_point(text);
            default:
                text += c;
                return true;
        }
    }
    /// The server escapes control characters only; another one becomes a question mark.
    bool code_point(std::string& text) {
        constexpr std::size_t digits = 4;
        if (rest_.size() < digits) return false;
        unsigned value = 0;
        const char* const end = rest_.data() + digits;
        const auto [read_to, error] = std::from_chars(rest_.data(), end, value, 16);
        if (error != std::errc{} || read_to != end) return false;
        rest_.remove_prefix(digits);
        text += value < 0x80 ? static_cast<char>(value) : '?';
        return true;
    }

    std::string_view rest_;
};

}  // namespace

std::optional<std::string> text_member(std::string_view object, std::string_view name) {
    JsonReader reader{object};
    int depth = 0;
    bool names_next = false;  // the next string is the name of a member of the outer object
    while (!reader.at_end()) {
        const char c = reader.take();
        if (c == '{' || c == '[') names_next = ++depth == 1 && c == '{';
        if (c == '}' || c == ']') --depth;
        if (c == ',') names_next = depth == 1;
        if (c != '"') continue;
        const auto found = reader.text();
        if (!found) return std::nullopt;
        if (!names_next || depth != 1) continue;
        names_next = false;
        if (*found != name) continue;
        reader.skip_blanks();
        if (!reader.is_at(':')) return std::nullopt;
        reader.take();
        reader.skip_blanks();
        if (!reader.is_at('"')) return std::nullopt;
        reader.take();
        return reader.text();
    }
    return std::nullopt;
}

}  // namespace sundial::client
