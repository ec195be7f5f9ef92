#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/check.hpp"

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

}  // namespace sundial::memory
