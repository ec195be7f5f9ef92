#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

/// Statements of your own in a transaction of the engine: `Transaction::sql` of
/// `sundial/transacting.hpp`.
namespace sundial {

/// The value of one parameter: null, a truth value, an integer, a floating-point number, text
/// (UTF-8) or bytes. An empty std::optional is null.
class SqlValue {
public:
    /// Of a BYTEA or BLOB.
    using Bytes = std::vector<std::byte>;
    /// The types of a value; `nullptr` is NULL.
    using Content = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Bytes>;

    /// NULL.
    SqlValue(std::nullptr_t) : content_(nullptr) {}  // NOLINT(google-explicit-constructor)
    /// A truth value.
    SqlValue(std::same_as<bool> auto it) : content_(it) {}  // NOLINT(google-explicit-constructor)
    /// A floating-point number.
    SqlValue(std::floating_point auto it)  // NOLINT(google-explicit-constructor)
        : content_(static_cast<double>(it)) {}
    /// Integers that 64 bits with a sign can hold.
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool> &&
                 (sizeof(Integer) < sizeof(std::int64_t) || std::is_signed_v<Integer>))
    SqlValue(Integer it)  // NOLINT(google-explicit-constructor)
        : content_(static_cast<std::int64_t>(it)) {}
    /// A text in UTF-8.
    SqlValue(std::string it)  // NOLINT(google-explicit-constructor)
        : content_(std::move(it)) {}
    /// A text in UTF-8.
    SqlValue(std::string_view it)  // NOLINT(google-explicit-constructor)
        : content_(std::string(it)) {}
    /// A text in UTF-8, which ends with a zero.
    SqlValue(const char* it)  // NOLINT(google-explicit-constructor)
        : content_(std::string(it)) {}
    /// Bytes.
    SqlValue(Bytes it) : content_(std::move(it)) {}  // NOLINT(google-explicit-constructor)
    /// NULL without a value.
    template <std::convertible_to<SqlValue> Value>
    SqlValue(const std::optional<Value>& it)  // NOLINT(google-explicit-constructor)
        : SqlValue(it ? SqlValue(*it) : SqlValue(nullptr)) {}

    /// The value.
    [[nodiscard]] const Content& content() const { return content_; }

private:
    Content content_;
};

/// The result of one statement. Each value is the text that the database prints; empty for null.
/// PostgreSQL prints a truth value as `t` or `f` and bytes as `\x…`; SQLite prints 0 or 1, and
/// returns bytes as they are.
struct SqlRows {
    std::vector<std::string> columns{};  // their names
    /// Rows of columns, each as text; an empty one is NULL.
    std::vector<std::vector<std::optional<std::string>>> rows{};
    std::uint64_t changed = 0;  // rows that the statement inserted, changed or deleted

    /// Whether there is no row.
    [[nodiscard]] bool empty() const { return rows.empty(); }
    /// Number of rows.
    [[nodiscard]] std::size_t size() const { return rows.size(); }
    /// The value as a number. Empty if there is no such row or column, for null, and for a value
    /// that is not an integer of 64 bits.
    [[nodiscard]] std::optional<std::int64_t> integer(std::size_t row, std::size_t column) const;
    /// The value. Empty if there is no such row or column, and for null.
    [[nodiscard]] std::optional<std::string> text(std::size_t row, std::size_t column) const;
};

}  // namespace sundial

#pragma GCC visibility pop
