#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "application/ports/paging.hpp"
#include "base/check.hpp"

namespace sundial::memory {

/// The sort value that a page key has as `text`; empty for an empty text.
template <class Value>
[[nodiscard]] std::optional<Value> sort_value(const std::string& text) {
    if constexpr (std::is_same_v<Value, std::string>) {
        return text;
    } else {
        if (text.empty()) return std::nullopt;
        Value value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        base::check(error == std::errc{} && end == text.data() + text.size());
        return value;
    }
}

/// Sorts `rows` by `value_of(row)`, an optional Value, then by id, and returns the requested page.
/// Rows without a value come last in both directions.
template <class Value, class Row, class ValueOf>
[[nodiscard]] Page<Row> page_of(std::vector<Row> rows, const PageRequest& request,
                                ValueOf value_of) {
    using Place = std::pair<std::optional<Value>, base::Uuid>;
    const auto place_of = [&](const Row& row) { return Place{value_of(row), row.id.value}; };
    const auto before = [&](const Place& a, const Place& b) {
        if (a.first.has_value() != b.first.has_value()) return a.first.has_value();
        return request.descending ? b < a : a < b;
    };
    if (request.after) {
        const Place last{sort_value<Value>(request.after->value), request.after->id};
        std::erase_if(rows, [&](const Row& row) { return !before(last, place_of(row)); });
    }
    std::sort(rows.begin(), rows.end(),
              [&](const Row& a, const Row& b) { return before(place_of(a), place_of(b)); });
    const bool has_more = rows.size() > request.limit;
    if (has_more) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(request.limit), rows.end());
    return {std::move(rows), has_more};
}

/// Microseconds since 1970, or of a duration.
[[nodiscard]] inline std::int64_t microseconds_of(auto time) {
    if constexpr (requires { time.time_since_epoch(); }) {
        return time.time_since_epoch().count();
    } else {
        return time.count();
    }
}

/// Whether a filter includes `value`: an empty filter includes all values.
template <class T>
[[nodiscard]] bool any_of(const std::vector<T>& wanted, const T& value) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}
template <class T, class U>
[[nodiscard]] bool is(const std::optional<T>& wanted, const U& value) {
    return !wanted || value == *wanted;
}
/// Whether `value` is in [from, to). A missing bound always holds. A missing value is outside any
/// bound.
template <class T>
[[nodiscard]] bool within(const std::optional<T>& from, const std::optional<T>& to,
                          const std::optional<T>& value) {
    if (!value) return !from && !to;
    return (!from || *value >= *from) && (!to || *value < *to);
}
/// Whether one of `texts` starts with `prefix`; true without a prefix.
[[nodiscard]] inline bool any_starts(const std::optional<std::string>& prefix,
                                     std::initializer_list<std::string_view> texts) {
    return !prefix || std::any_of(texts.begin(), texts.end(),
                                  [&](std::string_view text) { return text.starts_with(*prefix); });
}

}  // namespace sundial::memory
