#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/uuid.hpp"

namespace sundial {

/// A place in a sorted list: the last row that was read. Rows with equal sort values are ordered by
/// id in the same direction. `value` is the text, or for instants and durations the microseconds
/// since 1970 in decimal. Texts are ordered, and their prefixes found, byte by byte.
struct PageKey {
    std::string value;
    base::Uuid id;
    friend bool operator==(const PageKey&, const PageKey&) = default;
};

/// A page ends when its rows have about this many bytes, even if it has fewer rows than requested.
inline constexpr std::size_t max_page_bytes = 2UL * 1024 * 1024;

struct PageRequest {
    std::size_t limit = 50;  // 1 to 500
    bool descending = false;
    std::optional<PageKey> after;
};

template <class T>
struct Page {
    std::vector<T> items;
    bool has_more = false;
    /// The place from which the next page continues, if that is not the last item, because the page
    /// ended after many rows that do not match.
    std::optional<PageKey> passed{};
};

/// A count of rows that stops at a bound.
struct BoundedCount {
    std::uint64_t count = 0;
    bool complete = true;  // false: there are more
    friend bool operator==(const BoundedCount&, const BoundedCount&) = default;
};

/// Exact counts stop here.
inline constexpr std::size_t max_counted = 10'000;

}  // namespace sundial
