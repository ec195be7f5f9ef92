#include "application/requests/moment.hpp"

#include <charconv>
#include <chrono>
#include <optional>
#include <string>

#include "domain/time/text.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

/// More than the distance between any two years of the calendar: larger numbers are out of range.
constexpr std::int64_t max_units = 400'000'000'000;

std::optional<std::chrono::seconds> unit_of(char letter) {
    switch (letter) {
        case 's':
            return 1s;
        case 'm':
            return 1min;
        case 'h':
            return 1h;
        case 'd':
            return 24h;
        default:
            return std::nullopt;
    }
}

TimeError bad_moment() {
    return {TimeErrorCode::bad_time,
            "must be an instant as 2027-05-04T10:11:12Z, or relative to now: now, now-90s, "
            "now-15m, now+1h, now+7d"};
}

TimeError too_far() { return {TimeErrorCode::out_of_range, "must be in the years 0001 to 9999"}; }

/// `shift` is the part after "now": "+7d".
TimeResult<Instant> shifted(Instant now, std::string_view shift) {
    if (shift.empty()) return now;
    if (shift.size() < 3 || (shift.front() != '+' && shift.front() != '-')) return bad_moment();
    const auto unit = unit_of(shift.back());
    const std::string_view digits = shift.substr(1, shift.size() - 2);
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (!unit || digits.front() == '-' || end != digits.data() + digits.size()) {
        return bad_moment();
    }
    if (error == std::errc::result_out_of_range || count > max_units / unit->count()) {
        return too_far();
    }
    if (error != std::errc{}) return bad_moment();
    const Instant moment = shift.front() == '+' ? now + count * *unit : now - count * *unit;
    if (!in_range(moment)) return too_far();
    return moment;
}

}  // namespace

TimeResult<Instant> parse_moment(std::string_view text, Instant now) {
    constexpr std::string_view now_word = "now";
    if (text.starts_with(now_word)) return shifted(now, text.substr(now_word.size()));
    const auto instant = parse_instant(text);
    if (instant) return instant->instant;
    // If the text does not begin like a date, it may have been meant for the other form.
    const bool like_a_date = !text.empty() && '0' <= text.front() && text.front() <= '9';
    return like_a_date ? instant.error() : bad_moment();
}

}  // namespace sundial
