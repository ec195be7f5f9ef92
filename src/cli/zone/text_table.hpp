#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sundial::cli {

/// Texts in aligned columns under their names.
class TextTable {
public:
    explicit TextTable(std::vector<std::string> names) { rows_.push_back(std::move(names)); }
    /// As many as there are names.
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    /// Two blanks between columns, none at the end of a line.
    [[nodiscard]] std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace sundial::cli
