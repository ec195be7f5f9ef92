#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Untrusted text on a terminal: aligned, cut and without control characters.
namespace sundial::cli {

/// The same text with control characters as \n, \t or \x1b: a name cannot move the cursor, change
/// colours or end a line. Bytes that are not UTF-8 become \xff.
[[nodiscard]] std::string harmless(std::string_view text);
/// The number of terminal cells: 2 for a wide character, 0 for a combining one.
[[nodiscard]] std::size_t cells(std::string_view text);
/// At most `width` cells of `text`; the last one is … if the text is longer.
[[nodiscard]] std::string cut(std::string_view text, std::size_t width);
/// One field of CSV (RFC 4180).
[[nodiscard]] std::string csv_field(std::string_view text);
/// The fields, separated by commas, and CRLF.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

enum class Paint { none, good, bad, busy, faint, strong };
/// `text` in that colour, for a terminal.
[[nodiscard]] std::string painted(std::string_view text, Paint paint);
/// The colour of a status, an outcome or another state; none for any other word.
[[nodiscard]] Paint paint_of_state(std::string_view word);

/// Rows in aligned columns with headers.
class TextTable {
public:
    explicit TextTable(std::vector<std::string> names);
    /// Must have as many fields as there are headers.
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    [[nodiscard]] bool empty() const { return rows_.empty(); }

    /// `width`: cells of the terminal, 0 for any. On a terminal columns without a value are left
    /// out and wide ones are cut, but never the first one; if even that is too wide, each row
    /// becomes lines of `name  value`.
    struct Look {
        std::size_t width = 0;
        bool colour = false;
    };
    /// Two blanks between columns, no trailing blanks. Forgets the rows, and remembers the widths:
    /// the next page continues the table, with headers only if it has further columns.
    [[nodiscard]] std::string text(const Look& look);
    [[nodiscard]] std::string text() { return text(Look{}); }

private:
    [[nodiscard]] std::vector<std::size_t> fitting(std::size_t width) const;
    [[nodiscard]] std::string records(const Look& look) const;

    std::vector<std::string> names_;
    std::vector<std::vector<std::string>> rows_;
    std::vector<std::size_t> widths_;
    std::vector<bool> used_;  // columns that have had a value
    bool begun_ = false;
    bool headed_ = false;  // the headers name all used columns
};

}  // namespace sundial::cli
