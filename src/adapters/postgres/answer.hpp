#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "adapters/postgres/wire.hpp"

struct pg_result;  // libpq's PGresult

namespace sundial::postgres {

namespace detail {
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
}  // namespace detail

/// The index of a column, or empty if the answer has no such column.
using Column = std::optional<int>;

/// The server's answer to one statement.
class Answer {
public:
    explicit Answer(pg_result* result);

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] bool empty() const { return size() == 0; }
    /// Number of rows that the statement inserted, changed or deleted.
    [[nodiscard]] std::size_t changed() const;
    /// "COMMIT", "INSERT 0 1", …
    [[nodiscard]] std::string_view tag() const;
    [[nodiscard]] Column column(const char* name) const;
    [[nodiscard]] const pg_result* raw() const { return result_.get(); }

    /// A value; T is an optional if the column may be null. Throws Corrupt if the value has another
    /// type.
    template <class T>
    [[nodiscard]] T get(std::size_t row, int column) const {
        if constexpr (detail::IsOptional<T>::value) {
            using Value = typename T::value_type;
            const auto bytes = field(row, column, Wire<Value>::oid);
            return bytes ? T{Wire<Value>::get(*bytes)} : T{};
        } else {
            const auto bytes = field(row, column, Wire<T>::oid);
            if (!bytes) throw Corrupt{"PostgreSQL sent a null in a column that has none"};
            return Wire<T>::get(*bytes);
        }
    }

private:
    struct Clear {
        void operator()(pg_result* result) const;
    };
    [[nodiscard]] std::optional<std::string_view> field(std::size_t row, int column,
                                                        Oid type) const;

    std::unique_ptr<pg_result, Clear> result_;
};

}  // namespace sundial::postgres
