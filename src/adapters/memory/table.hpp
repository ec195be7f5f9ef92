#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "application/ports/paging.hpp"
#include "base/check.hpp"
#include "domain/error.hpp"

namespace sundial::memory {

/// The steps that undo a transaction.
class Journal {
public:
    void note(std::function<void()> undo) { undo_.push_back(std::move(undo)); }
    [[nodiscard]] std::size_t length() const { return undo_.size(); }
    void clear() { undo_.clear(); }
    /// Undoes the changes noted since the journal had that length, latest first.
    void roll_back(std::size_t to) {
        for (; undo_.size() > to; undo_.pop_back()) undo_.back()();
    }

private:
    std::vector<std::function<void()>> undo_;
};

/// Rows by key. Every change is noted in the journal. A row keeps its address until it changes.
template <class Key, class Row>
class Table {
public:
    explicit Table(Journal& journal) : journal_{journal} {}
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    [[nodiscard]] const std::map<Key, Row>& rows() const { return rows_; }
    [[nodiscard]] const Row* find(const Key& key) const {
        const auto found = rows_.find(key);
        return found == rows_.end() ? nullptr : &found->second;
    }
    /// The key must be new.
    void insert(const Key& key, Row row) {
        base::check(rows_.emplace(key, std::move(row)).second);
        journal_.note([this, key] { rows_.erase(key); });
    }
    /// The row must exist.
    void replace(const Key& key, Row row) {
        Row& current = rows_.at(key);
        std::swap(current, row);
        journal_.note([this, key, before = std::move(row)] { rows_.at(key) = before; });
    }
    /// As `replace`, with a function that changes the row.
    template <class Change>
    void change(const Key& key, Change change_row) {
        Row row = rows_.at(key);
        change_row(row);
        replace(key, std::move(row));
    }
    /// The row must exist.
    void erase(const Key& key) {
        const auto found = rows_.find(key);
        base::check(found != rows_.end());
        journal_.note(
            [this, key, before = std::move(found->second)] { rows_.emplace(key, before); });
        rows_.erase(found);
    }

private:
    Journal& journal_;
    std::map<Key, Row> rows_;
};

/// The id of the row that has the external id.
template <class Id, class Row>
[[nodiscard]] std::optional<Id> id_of(const Table<Id, Row>& table, std::string_view external_id) {
    for (const auto& [id, row] : table.rows()) {
        if (row.external_id == external_id) return id;
    }
    return std::nullopt;
}

/// The same for many; unknown external ids are left out.
template <class Id, class Row>
[[nodiscard]] std::map<std::string, Id> ids_of(const Table<Id, Row>& table,
                                               std::span<const std::string> external_ids) {
    std::map<std::string, Id> found;
    for (const std::string& external_id : external_ids) {
        if (const auto id = id_of(table, external_id)) found.emplace(external_id, *id);
    }
    return found;
}

/// Refuses `row` if another row has its external id.
template <class Id, class Row>
[[nodiscard]] Result<void, DuplicateExternalId> external_id_is_free(const Table<Id, Row>& table,
                                                                    const Row& row, Noun noun) {
    if (!row.external_id) return {};
    const auto holder = id_of(table, *row.external_id);
    if (!holder || *holder == row.id) return {};
    return DuplicateExternalId{noun, *row.external_id, holder->value};
}

/// The rows of `ids` that exist.
template <class Id, class Row>
[[nodiscard]] std::vector<Row> those_of(const Table<Id, Row>& table, std::span<const Id> ids) {
    std::vector<Row> found;
    for (const auto& id : std::set<Id>{ids.begin(), ids.end()}) {
        if (const auto* row = table.find(id)) found.push_back(*row);
    }
    return found;
}

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
[[nodiscard]] bool any_of(const std::vector<T>& filter, const T& value) {
    return filter.empty() || std::find(filter.begin(), filter.end(), value) != filter.end();
}
template <class T, class U>
[[nodiscard]] bool is(const std::optional<T>& filter, const U& value) {
    return !filter || value == *filter;
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
