#pragma once

#include <compare>
#include <functional>
#include <utility>

namespace sundial::base {

/// A Rep with a type of its own: different tags are different types.
template <class Tag, class Rep>
struct Strong {
    Rep value;
    explicit constexpr Strong(Rep v) : value(std::move(v)) {}
    friend auto operator<=>(const Strong&, const Strong&) = default;
};

/// The next one: for versions and attempts.
template <class Tag, class Rep>
[[nodiscard]] constexpr Strong<Tag, Rep> next(Strong<Tag, Rep> current) {
    return Strong<Tag, Rep>{static_cast<Rep>(current.value + 1)};
}

}  // namespace sundial::base

template <class Tag, class Rep>
struct std::hash<sundial::base::Strong<Tag, Rep>> {
    std::size_t operator()(const sundial::base::Strong<Tag, Rep>& strong) const {
        return std::hash<Rep>{}(strong.value);
    }
};
