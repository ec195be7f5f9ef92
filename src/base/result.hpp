#pragma once

#include <concepts>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.hpp"

namespace sundial::base {

/// Wraps an error so that `Result<T, E>` can be built from it if T and E are ambiguous.
template <class E>
struct Unexpected {
    E error;
};
template <class E>
Unexpected(E) -> Unexpected<E>;

/// A value or an error. Has the member names of std::expected, which libstdc++ 12 has only in C++23
/// mode; it becomes an alias of it once every supported library has it. Converts implicitly from
/// anything that converts to T, or else from anything that converts to E.
template <class T, class E>
class [[nodiscard]] Result {
public:
    using value_type = T;
    using error_type = E;

    template <class U = T>
        requires(!std::same_as<std::remove_cvref_t<U>, Result> && std::convertible_to<U &&, T>)
    Result(U&& value)
        : state_(std::in_place_index<0>, std::forward<U>(value)) {
    }  // NOLINT(google-explicit-constructor)

    template <class U>
        requires(!std::same_as<std::remove_cvref_t<U>, Result> && !std::convertible_to<U &&, T> &&
                 std::convertible_to<U &&, E>)
    Result(U&& error)
        : state_(std::in_place_index<1>, std::forward<U>(error)) {
    }  // NOLINT(google-explicit-constructor)

    template <class G>
        requires(!std::same_as<G, E> && std::convertible_to<G, E>)
    Result(Result<T, G> other)
        : state_(other ? std::variant<T, E>(std::in_place_index<0>, *std::move(other))
                       : std::variant<T, E>(std::in_place_index<1>, std::move(other).error())) {
    }  // NOLINT(google-explicit-constructor)

    template <class G>
        requires std::convertible_to<G, E>
    Result(Unexpected<G> unexpected)
        : state_(std::in_place_index<1>, std::move(unexpected.error)) {
    }  // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    [[nodiscard]] T& value() & { return check(has_value()), std::get<0>(state_); }
    [[nodiscard]] const T& value() const& { return check(has_value()), std::get<0>(state_); }
    [[nodiscard]] T&& value() && { return check(has_value()), std::get<0>(std::move(state_)); }
    [[nodiscard]] T& operator*() & { return value(); }
    [[nodiscard]] const T& operator*() const& { return value(); }
    [[nodiscard]] T&& operator*() && { return std::move(*this).value(); }
    [[nodiscard]] T* operator->() { return &value(); }
    [[nodiscard]] const T* operator->() const { return &value(); }

    [[nodiscard]] const E& error() const& { return check(!has_value()), std::get<1>(state_); }
    [[nodiscard]] E&& error() && { return check(!has_value()), std::get<1>(std::move(state_)); }

    template <class U>
    [[nodiscard]] T value_or(U&& other) const& {
        return has_value() ? **this : static_cast<T>(std::forward<U>(other));
    }

private:
    std::variant<T, E> state_;
};

/// Success without a value, or an error.
template <class E>
class [[nodiscard]] Result<void, E> {
public:
    using value_type = void;
    using error_type = E;

    Result() = default;

    template <class G>
        requires(!std::same_as<G, E> && std::convertible_to<G, E>)
    Result(Result<void, G> other) {  // NOLINT(google-explicit-constructor)
        if (!other) state_.template emplace<1>(std::move(other).error());
    }

    template <class U>
        requires(!std::same_as<std::remove_cvref_t<U>, Result> && std::convertible_to<U &&, E>)
    Result(U&& error)
        : state_(std::in_place_index<1>, std::forward<U>(error)) {
    }  // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }
    [[nodiscard]] const E& error() const& { return check(!has_value()), std::get<1>(state_); }
    [[nodiscard]] E&& error() && { return check(!has_value()), std::get<1>(std::move(state_)); }

private:
    std::variant<std::monostate, E> state_;
};

}  // namespace sundial::base
