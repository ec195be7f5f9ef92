#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/http/message.hpp"
#include "adapters/http/problem.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/paging.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "domain/error.hpp"

/// Filters of lists, from parameters that the OpenAPI document has validated.
namespace sundial::http {

/// Values separated by commas; empty if the parameter is absent.
[[nodiscard]] std::vector<std::string> list_value(const Request& request, std::string_view name);
[[nodiscard]] std::optional<std::string> text_value(const Request& request, std::string_view name);
[[nodiscard]] std::optional<bool> truth_value(const Request& request, std::string_view name);
[[nodiscard]] std::optional<unsigned> number_value(const Request& request, std::string_view name);

/// Instants: RFC 3339, or now, now-1h, now+7d. Adds invalid ones to `errors`.
class Moments {
public:
    Moments(const Request& request, Clock& clock, std::vector<FieldError>& errors)
        : request_(request), clock_(clock), errors_(errors) {}
    [[nodiscard]] std::optional<Instant> value(std::string_view name);

private:
    const Request& request_;
    Clock& clock_;
    std::vector<FieldError>& errors_;
};

/// The texts of a list as values of an enum. The OpenAPI document has checked the names.
template <class Parse>
auto parsed_list(const Request& request, std::string_view name, Parse parse) {
    std::vector<typename decltype(parse(std::string_view{}))::value_type> values;
    for (const std::string& text : list_value(request, name)) {
        if (const auto value = parse(text)) values.push_back(*value);
    }
    return values;
}

// Lists: `limit`, an opaque `cursor` bound to filter and sort, and the envelope around the rows.

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
                                const PageKey& last);

/// A page of rows as the response. `write_row(json, row)` writes one and returns its position.
template <class T, class WriteRow>
[[nodiscard]] Response page_response(const Page<T>& page, const Request& request,
                                     WriteRow write_row) {
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
    return end_page(std::move(json), request, full || page.has_more, last);
}

}  // namespace sundial::http
