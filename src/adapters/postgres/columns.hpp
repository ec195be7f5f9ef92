#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

/// Arrays for `unnest($1, $2, …)`, one for each column. An array costs the server 50 ns per
/// element, whatever the element is. If an array is shorter than the others, unnest fills it up
/// with nulls.
namespace sundial::postgres {

/// Keeps one value if all are equal. Statements read `coalesce(given.name, $n[1])`.
template <class T>
void shorten(std::vector<T>& column) {
    if (column.empty()) return;
    const bool same = std::ranges::adjacent_find(column, std::not_equal_to{}) == column.end();
    if (same) column.erase(column.begin() + 1, column.end());
}
/// As above; if all values are null, the array becomes empty.
template <class T>
void shorten(std::vector<std::optional<T>>& column) {
    if (std::ranges::all_of(column, [](const auto& value) { return !value; })) column.clear();
}
template <class... Columns>
void shorten_each(Columns&... columns) {
    (shorten(columns), ...);
}

}  // namespace sundial::postgres
