#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

/// The lists of `unnest($1, $2, …)`, one for each column. A list costs the server 50 ns for each
/// row that it names, whatever it says there; where it ends, unnest goes on with nulls.
namespace sundial::postgres {

/// Leaves one value of those that are all the same: statements read `coalesce(given.name, $n[1])`.
template <class T>
void shorten(std::vector<T>& column) {
    if (column.empty()) return;
    const bool same = std::ranges::adjacent_find(column, std::not_equal_to{}) == column.end();
    if (same) column.erase(column.begin() + 1, column.end());
}
/// Nothing of what is all null.
template <class T>
void shorten(std::vector<std::optional<T>>& column) {
    if (std::ranges::all_of(column, [](const auto& value) { return !value; })) column.clear();
}
template <class... Columns>
void shorten_each(Columns&... columns) {
    (shorten(columns), ...);
}

}  // namespace sundial::postgres
