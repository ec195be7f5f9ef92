#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "domain/time/text.hpp"

/// A text for each parser of RFC 3339, RFC 9557 and durations. A parsed value can be written, and
/// reading it again gives the same value.
namespace sundial {
namespace {

template <class T>
bool readable(const TimeResult<T>& read) {
    if (read) return true;
    const std::string& message = read.error().message;
    base::check(!message.empty() && message.size() < 400);
    base::check(std::ranges::all_of(message, [](char c) { return c >= ' ' && c <= '~'; }));
    return false;
}

void read_as_everything(std::string_view text) {
    if (const auto instant = parse_instant(text); readable(instant)) {
        base::check(in_range(instant->instant));
        base::check(parse_instant(format_instant(instant->instant))->instant == instant->instant);
    }
    if (const auto local = parse_local(text); readable(local))
        base::check(parse_local(format_wall(local->wall))->wall == local->wall);
    if (const auto date = parse_date(text); readable(date))
        base::check(date->ok() && format_date(*date) == text);
    if (const auto date = parse_yearly_date(text); readable(date)) base::check(date->day.ok());
    if (const auto time = parse_time_of_day(text); readable(time))
        base::check(*parse_time_of_day(format_time_of_day(*time)) == *time);
    if (const auto duration = parse_duration(text); readable(duration)) {
        base::check(duration->count() >= 0 && *duration <= std::chrono::hours{876'600});
        base::check(*parse_duration(format_duration(*duration)) == *duration);
    }
}

}  // namespace
}  // namespace sundial

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sundial::read_as_everything({reinterpret_cast<const char*>(data), size});
    return 0;
}
