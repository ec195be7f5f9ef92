#include "cli/text_table.hpp"

#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace sundial::cli {
namespace {

constexpr std::size_t column_gap = 2;      // blanks between columns
constexpr std::size_t narrowest_cut = 10;  // a column is not cut below this width

/// The C library knows how wide characters are, but only in a locale of UTF-8.
class Utf8Locale {
public:
    Utf8Locale() : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
        if (locale_ != nullptr) before_ = ::uselocale(locale_);
    }
    ~Utf8Locale() {
        if (locale_ == nullptr) return;
        ::uselocale(before_);
        ::freelocale(locale_);
    }
    Utf8Locale(const Utf8Locale&) = delete;
    Utf8Locale& operator=(const Utf8Locale&) = delete;

private:
    locale_t locale_;
    locale_t before_ = nullptr;
};

/// The code point of one well-formed character.
wchar_t code_point(std::string_view character) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 1) return static_cast<wchar_t>(byte(0));
    unsigned point = byte(0) & (0xFFU >> (character.size() + 1));
    for (std::size_t i = 1; i < character.size(); ++i) point = (point << 6U) | (byte(i) & 0x3FU);
    return static_cast<wchar_t>(point);
}

std::size_t cells_of(std::string_view character) {
    const int width = ::wcwidth(code_point(character));
    return width < 0 ? 1 : static_cast<std::size_t>(width);
}

std::string escaped(unsigned char byte) {
    constexpr std::string_view digits = "0123456789abcdef";
    return {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
}

/// Control characters, and the marks that reorder text, with which one text can look like another.
bool is_dangerous(wchar_t point) {
    return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x2028 || point == 0x2029 ||
           (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

std::string padded(const std::string& text, std::size_t width) {
    const std::size_t used = cells(text);
    return text + std::string(width > used ? width - used : 0, ' ');
}

std::string without_trailing_blanks(const std::string& line) {
    return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace

std::string harmless(std::string_view text) {
    std::string safe;
    while (!text.empty()) {
        const std::size_t length = base::character_length(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
        text.remove_prefix(character.size());
        if (length > 0 && !is_dangerous(code_point(character))) {
            safe += character;
        } else if (character == "\n") {
            safe += "\\n";
        } else if (character == "\t") {
            safe += "\\t";
        } else {
            for (const char c : character) safe += escaped(static_cast<unsigned char>(c));
        }
    }
    return safe;
}

std::size_t cells(std::string_view text) {
    const Utf8Locale utf8;
    std::size_t sum = 0;
    while (!text.empty()) {
        const std::size_t length = base::character_length(text);
        sum += length == 0 ? 1 : cells_of(text.substr(0, length));
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return sum;
}

std::string cut(std::string_view text, std::size_t width) {
    if (cells(text) <= width) return std::string(text);
    if (width == 0) return "";
    const Utf8Locale utf8;
    std::size_t used = 0, bytes = 0;
    while (bytes < text.size()) {
        const std::size_t length =
            std::max<std::size_t>(base::character_length(text.substr(bytes)), 1);
        const std::size_t wide = cells_of(text.substr(bytes, length));
        if (used + wide > width - 1) break;
        used += wide;
        bytes += length;
    }
    return std::string(text.substr(0, bytes)) + "…";
}

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

std::string csv_line(const std::vector<std::string>& fields) {
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i)
        line += (i == 0 ? "" : ",") + csv_field(fields[i]);
    // A line with one empty field would be an empty line.
    return (line.empty() ? "\"\"" : line) + "\r\n";
}

std::string painted(std::string_view text, Paint paint) {
    constexpr std::array<std::string_view, 6> codes{"", "32", "31", "33", "2", "1"};
    if (paint == Paint::none || text.empty()) return std::string(text);
    return "\x1b[" + std::string(codes.at(static_cast<std::size_t>(paint))) + 'm' +
           std::string(text) + "\x1b[0m";
}

Paint paint_of_state(std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, Paint>, 20> states{{
        {"COMPLETED", Paint::good}, {"SUCCEEDED", Paint::good},  {"CLOSED", Paint::good},
        {"enabled", Paint::good},   {"pass", Paint::good},       {"FAILED", Paint::bad},
        {"PERMANENT", Paint::bad},  {"LOST", Paint::bad},        {"OPEN", Paint::bad},
        {"fail", Paint::bad},       {"PROCESSING", Paint::busy}, {"RUNNING", Paint::busy},
        {"RETRYABLE", Paint::busy}, {"LATE", Paint::busy},       {"HALF_OPEN", Paint::busy},
        {"warn", Paint::busy},      {"CANCELLED", Paint::faint}, {"STOPPED", Paint::faint},
        {"RELEASED", Paint::faint}, {"disabled", Paint::faint},
    }};
    const auto found = std::ranges::find(states, word, &std::pair<std::string_view, Paint>::first);
    return found == states.end() ? Paint::none : found->second;
}

TextTable::TextTable(std::vector<std::string> names) : names_(std::move(names)) {
    for (const std::string& name : names_) widths_.push_back(cells(name));
    used_.resize(names_.size());
}

std::vector<std::size_t> TextTable::fitting(std::size_t width) const {
    std::vector<std::size_t> widths = widths_;
    if (width == 0) return widths;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        if (!used_[i]) widths[i] = 0;
    }
    const auto total = [&] {
        std::size_t sum = 0;
        for (const std::size_t one : widths) sum += one == 0 ? 0 : one + column_gap;
        return sum - std::min(sum, column_gap);
    };
    while (total() > width) {
        const auto widest = std::max_element(widths.begin() + 1, widths.end());
        if (widest == widths.end() || *widest <= narrowest_cut) return {};
        *widest = std::max(narrowest_cut, *widest - std::min(*widest, total() - width));
    }
    return widths;
}

std::string TextTable::records(const Look& look) const {
    std::size_t width = 0;
    for (const std::string& name : names_) width = std::max(width, cells(name));
    std::string text;
    for (const auto& row : rows_) {
        if (begun_ || !text.empty()) text += '\n';
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (row[i].empty()) continue;
            text += padded(names_[i], width + column_gap) +
                    (look.colour ? painted(row[i], paint_of_state(row[i])) : row[i]) + '\n';
        }
    }
    return text;
}

std::string TextTable::text(const Look& look) {
    for (auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            row[i] = harmless(row[i]);
            widths_[i] = std::max(widths_[i], cells(row[i]));
            if (!row[i].empty() && !used_[i]) headed_ = false;
            used_[i] = used_[i] || !row[i].empty();
        }
    }
    const std::vector<std::size_t> widths = fitting(look.width);
    std::string text;
    if (widths.empty()) {
        text = records(look);
    } else {
        const auto add_line = [&](const std::vector<std::string>& row, bool header) {
            std::string line;
            for (std::size_t i = 0; i < row.size(); ++i) {
                if (widths[i] == 0) continue;
                const std::string cell = cut(row[i], widths[i]);
                const Paint paint = header ? Paint::strong : paint_of_state(row[i]);
                const std::size_t pad = widths[i] + column_gap - std::min(cells(cell), widths[i]);
                line += (look.colour ? painted(cell, paint) : cell) + std::string(pad, ' ');
            }
            text += without_trailing_blanks(line) + '\n';
        };
        if (!begun_ || (!headed_ && look.width > 0)) add_line(names_, true);
        headed_ = true;
        for (const auto& row : rows_) add_line(row, false);
    }
    begun_ = true;
    rows_.clear();
    return text;
}

}  // namespace sundial::cli
