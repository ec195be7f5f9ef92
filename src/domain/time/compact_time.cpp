#include "domain/time/compact_time.hpp"

#include <algorithm>

namespace sundial {
namespace {

bool all_digits(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

int number(std::string_view digits) {
    int value = 0;
    for (const char digit : digits) value = value * 10 + (digit - '0');
    return value;
}

}  // namespace

std::optional<std::optional<Date>> read_compact_date(std::string_view text) {
    if (text.size() != 8 || !all_digits(text)) return std::nullopt;
    const Date date{std::chrono::year{number(text.substr(0, 4))},
                    std::chrono::month{static_cast<unsigned>(number(text.substr(4, 2)))},
                    std::chrono::day{static_cast<unsigned>(number(text.substr(6, 2)))}};
    const bool exists = date.ok() && date.year() >= std::chrono::year{1};
    return exists ? std::optional(date) : std::optional<Date>{};
}

std::optional<CompactTime> read_compact_time(std::string_view text) {
    if (text.size() < 15 || text.size() > 16) return std::nullopt;
    if (text[8] != 'T' && text[8] != 't') return std::nullopt;
    const bool utc = text.size() == 16;
    if (utc && text[15] != 'Z' && text[15] != 'z') return std::nullopt;
    const auto date = read_compact_date(text.substr(0, 8));
    const std::string_view time = text.substr(9, 6);
    if (!date || !*date || !all_digits(time)) return std::nullopt;
    const int hour = number(time.substr(0, 2));
    const int minute = number(time.substr(2, 2));
    const int second = number(time.substr(4, 2));
    if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
    return CompactTime{std::chrono::local_days{**date} + std::chrono::hours{hour} +
                           std::chrono::minutes{minute} + std::chrono::seconds{second},
                       utc};
}

}  // namespace sundial
