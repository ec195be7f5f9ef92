#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/time/types.hpp"

/// Queries of lists as statement parameters.
namespace sundial::postgres {

/// Null if the filter is empty.
template <class T>
[[nodiscard]] std::optional<std::vector<T>> if_any(std::vector<T> values) {
    if (values.empty()) return std::nullopt;
    return values;
}
[[nodiscard]] inline std::optional<std::int32_t> as_integer(std::optional<unsigned> number) {
    if (!number) return std::nullopt;
    return static_cast<std::int32_t>(*number);
}

/// The id and the sort value of the previous page's last row; null on the first page.
[[nodiscard]] std::optional<base::Uuid> last_id(const PageRequest& page);
[[nodiscard]] std::optional<std::string> last_text(const PageRequest& page);
/// Null also if that row had no value.
[[nodiscard]] std::optional<std::int64_t> last_number(const PageRequest& page);
[[nodiscard]] std::optional<std::chrono::microseconds> last_duration(const PageRequest& page);
[[nodiscard]] std::optional<Instant> last_instant(const PageRequest& page);
/// One more than the page size, to see whether there is a next page.
[[nodiscard]] std::int64_t rows_for(const PageRequest& page);

template <class T>
[[nodiscard]] Page<T> page_in(std::vector<T> rows, const PageRequest& page) {
    const bool has_more = rows.size() > page.limit;
    if (has_more) rows.pop_back();
    return {std::move(rows), has_more};
}

}  // namespace sundial::postgres
