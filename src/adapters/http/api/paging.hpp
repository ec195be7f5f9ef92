#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/http/problem.hpp"
#include "application/ports/paging.hpp"
#include "base/json_writer.hpp"
#include "base/result.hpp"

/// Lists: `limit`, an opaque `cursor` bound to filter and sort, and the answer around the rows.
namespace sundial::http {

/// What rows are sorted by: their ids alone, texts, numbers such as instants, or numbers that some
/// rows lack.
enum class SortValue : std::uint8_t { none, text, number, optional_number };

/// `limit` and `cursor` of the request, and `descending` if `sort` starts with a minus. What a
/// cursor says is as bounded as what a row can hold, whoever wrote it. Errors: INVALID_CURSOR.
[[nodiscard]] base::Result<PageRequest, Problem> page_request(const Request& request,
                                                              SortValue sorted_by);

/// Begins `{"data":[`; then come the rows.
void begin_page(base::JsonWriter& json);
/// Ends the page and makes it the answer. `last` is the place of the last row written; it is not
/// looked at if no more follow.
[[nodiscard]] Response end_page(base::JsonWriter json, const Request& request, bool has_more,
                                const PageKey& last);

}  // namespace sundial::http
