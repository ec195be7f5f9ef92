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

struct PageRequest {
    std::size_t limit = 50;  // 1 to 500
    bool descending = false;
    std::optional<PageKey> after;
};

template <class T>
struct Page {
    std::vector<T> items;
    bool has_more = false;
};

}  // namespace sundial
