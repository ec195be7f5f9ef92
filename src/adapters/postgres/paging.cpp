#include "adapters/postgres/paging.hpp"

#include <charconv>

#include "base/check.hpp"

namespace sundial::postgres {

std::optional<base::Uuid> last_id(const PageRequest& page) {
    if (!page.after) return std::nullopt;
    return page.after->id;
}

std::optional<std::string> last_text(const PageRequest& page) {
    if (!page.after) return std::nullopt;
    return page.after->value;
}

std::optional<std::int64_t> last_number(const PageRequest& page) {
    if (!page.after || page.after->value.empty()) return std::nullopt;
    const std::string& text = page.after->value;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    base::check(error == std::errc{} && end == text.data() + text.size());
    return number;
}

std::optional<std::chrono::microseconds> last_duration(const PageRequest& page) {
    const auto micros = last_number(page);
    if (!micros) return std::nullopt;
    return std::chrono::microseconds{*micros};
}

std::optional<Instant> last_instant(const PageRequest& page) {
    const auto since_epoch = last_duration(page);
    if (!since_epoch) return std::nullopt;
    return Instant{*since_epoch};
}

std::int64_t rows_for(const PageRequest& page) { return static_cast<std::int64_t>(page.limit) + 1; }

}  // namespace sundial::postgres
