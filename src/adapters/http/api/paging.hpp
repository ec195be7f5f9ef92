#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/http/problem.hpp"
#include "application/ports/paging.hpp"
#include "base/json.hpp"
#include "base/result.hpp"

/// Lists: `limit`, an opaque `cursor` bound to filter and sort, and the envelope around the rows.
namespace sundial::http {

/// The kind of value that rows are sorted by: their ids alone, texts, numbers such as instants, or
/// numbers that some rows lack.
enum class SortValue : std::uint8_t { none, text, number, optional_number };

/// `limit` and `cursor` of the request, and `descending` if `sort` starts with a minus. A cursor
/// may come from anywhere, so its values are checked against the bounds of a row. Errors:
/// INVALID_CURSOR.
[[nodiscard]] base::Result<PageRequest, Problem> page_request(const Request& request,
                                                              SortValue sorted_by);

/// Whether the page has so many bytes that it ends here, although there are more rows. A page has
/// at least one row, however large.
[[nodiscard]] inline bool is_full(const base::JsonWriter& json) {
    return json.text().size() >= max_page_bytes;
}
/// Ends the page and returns it as the response. `last` is the position of the last row written; it
/// is ignored if no more rows follow.
[[nodiscard]] Response end_page(base::JsonWriter json, const Request& request, bool has_more,
                                const PageKey& last,
                                const std::optional<BoundedCount>& total = std::nullopt);

/// A page of rows as the response. `write_row(json, row)` writes one and returns its position.
/// `total` is the number of rows in all pages, if the request asks for it.
template <class T, class WriteRow>
[[nodiscard]] Response page_response(const Page<T>& page, const Request& request,
                                     WriteRow write_row,
                                     const std::optional<BoundedCount>& total = std::nullopt) {
    base::JsonWriter json;
    json.begin_object().key("data").begin_array();
    PageKey last{};
    bool full = false;
    for (const T& row : page.items) {
        full = is_full(json);
        if (full) break;
        last = write_row(json, row);
    }
    if (!full && page.passed) last = *page.passed;
    return end_page(std::move(json), request, full || page.has_more, last, total);
}

}  // namespace sundial::http
