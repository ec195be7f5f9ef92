#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "adapters/postgres/wire.hpp"

namespace sundial::postgres {

/// One complete SQL statement. Each connection prepares it once, under its name.
struct Statement {
    enum class Plan : std::uint8_t {
        kept,  // prepared: planned once and reused
        fresh  // planned for the values of each call: lists with many optional filters
    };
    const char* name;
    const char* sql;
    Plan plan = Plan::kept;
};

/// The values of $1, $2, … in their binary form.
class Parameters {
public:
    template <class... Values>
    explicit Parameters(const Values&... values) {
        slots_.reserve(sizeof...(values));
        (add(values), ...);
    }

    struct Slot {
        Oid type;
        std::size_t offset;
        std::optional<std::size_t> length;  // empty: null
    };
    [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }
    /// The value of the next $n.
    template <class T>
    void append(const T& value) {
        add(value);
    }
    [[nodiscard]] const char* bytes() const { return bytes_.data(); }

private:
    template <class T>
    void add(const T& value) {
        const std::size_t start = bytes_.size();
        Wire<T>::put(bytes_, value);
        slots_.push_back({Wire<T>::oid, start, bytes_.size() - start});
    }
    template <class T>
    void add(const std::optional<T>& value) {
        if (value) return add(*value);
        slots_.push_back({Wire<T>::oid, bytes_.size(), std::nullopt});
    }

    std::string bytes_;
    std::vector<Slot> slots_;
};

/// A statement with its parameters.
struct Call {
    template <class... Values>
    explicit Call(const Statement& which, const Values&... values)
        : statement{&which}, parameters{values...} {}

    const Statement* statement;
    Parameters parameters;
};

/// Arrays for `unnest($1, $2, …)`, one for each column. An array costs the server 50 ns per
/// element, whatever the element is.

/// A column's type for values of type `T`. Refers to texts that live longer than the call.
template <class T>
using ColumnValue = std::conditional_t<std::is_lvalue_reference_v<T> &&
                                           std::is_same_v<std::remove_cvref_t<T>, std::string>,
                                       std::string_view, std::remove_cvref_t<T>>;

/// `get` of each item: a function, or a member such as `&Event::id`.
template <class Items, class Get>
[[nodiscard]] auto column(const Items& items, Get get) {
    using Item = decltype(*std::begin(items));
    std::vector<ColumnValue<std::invoke_result_t<Get&, Item>>> values;
    values.reserve(items.size());
    for (const auto& item : items) values.push_back(std::invoke(get, item));
    return values;
}

/// The columns of pairs.
template <class Pairs>
[[nodiscard]] auto first_column(const Pairs& pairs) {
    return column(pairs, [](const auto& pair) -> const auto& { return pair.first; });
}
template <class Pairs>
[[nodiscard]] auto second_column(const Pairs& pairs) {
    return column(pairs, [](const auto& pair) -> const auto& { return pair.second; });
}
/// The names of enum values.
template <class Values>
[[nodiscard]] auto name_column(const Values& values) {
    return column(values, [](auto value) { return to_string(value); });
}

/// Keeps one value if all are equal. Statements read `coalesce(given.name, $n[1])`, because unnest
/// fills up an array that is shorter than the others with nulls.
template <class T>
[[nodiscard]] std::vector<T> shortened(std::vector<T> values) {
    if (values.empty()) return values;
    const bool same = std::ranges::adjacent_find(values, std::not_equal_to{}) == values.end();
    if (same) values.erase(values.begin() + 1, values.end());
    return values;
}
/// As above; if all values are null, the array becomes empty.
template <class T>
[[nodiscard]] std::vector<std::optional<T>> shortened(std::vector<std::optional<T>> values) {
    if (std::ranges::all_of(values, [](const auto& value) { return !value; })) values.clear();
    return values;
}

/// A column that usually has few different values.
template <class Items, class Get>
[[nodiscard]] auto short_column(const Items& items, Get get) {
    return shortened(column(items, get));
}

}  // namespace sundial::postgres
