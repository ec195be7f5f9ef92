#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "application/ports/paging.hpp"
#include "base/check.hpp"
#include "domain/ids.hpp"

namespace sundial::sqlite {

/// One more than the page size, to see whether there is a next page.
[[nodiscard]] inline std::int64_t limit_of(const PageRequest& page) {
    return static_cast<std::int64_t>(page.limit) + 1;
}
template <class Row>
[[nodiscard]] Page<Row> page_of(std::vector<Row> rows, const PageRequest& request) {
    const bool has_more = rows.size() > request.limit;
    if (has_more) rows.pop_back();
    return {std::move(rows), has_more};
}

[[nodiscard]] inline std::optional<Uuid> id_after(const PageRequest& page) {
    return page.after ? std::optional{page.after->id} : std::nullopt;
}
/// The numeric sort value of the previous page's last row; empty if that row had none.
[[nodiscard]] inline std::optional<std::int64_t> number_after(const PageRequest& page) {
    if (!page.after || page.after->value.empty()) return std::nullopt;
    const std::string& text = page.after->value;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    base::check(error == std::errc{} && end == text.data() + text.size());
    return number;
}
[[nodiscard]] inline std::optional<std::string> text_after(const PageRequest& page) {
    return page.after ? std::optional{page.after->value} : std::nullopt;
}

/// The first and the last id with a text prefix; empty if no id can have it.
struct IdRange {
    std::optional<Uuid> first;
    std::optional<Uuid> last;
};
[[nodiscard]] inline IdRange ids_with(const std::optional<std::string>& prefix) {
    constexpr std::string_view lowest = "00000000-0000-0000-0000-000000000000";
    constexpr std::string_view highest = "ffffffff-ffff-ffff-ffff-ffffffffffff";
    if (!prefix || prefix->size() > lowest.size()) return {};
    const auto padded = [&](std::string_view with) {
        return base::parse_uuid(*prefix + std::string{with.substr(prefix->size())});
    };
    const auto first = padded(lowest);
    // Ids are written in lower case.
    if (!first || !base::to_string(*first).starts_with(*prefix)) return {};
    return {first, padded(highest)};
}

}  // namespace sundial::sqlite
