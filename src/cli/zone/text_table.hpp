#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sundial::cli {

/// Texts in aligned columns with headers.
class TextTable {
public:
    explicit TextTable(std::vector<std::string> names) { rows_.push_back(std::move(names)); }
    /// Must have as many fields as there are headers.
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    /// Two blanks between columns, no trailing blanks.
    [[nodiscard]] std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace sundial::cli
