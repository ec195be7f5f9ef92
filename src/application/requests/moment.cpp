#include "application/requests/moment.hpp"

#include "domain/time/calendar_duration.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

TimeError bad_moment() {
    return {TimeErrorCode::bad_time,
            "must be an instant as 2027-05-04T10:11:12Z, or relative to now: now, now-90s, "
            "now-1h30m, now+7d, now-P1M"};
}

TimeError too_far() { return {TimeErrorCode::out_of_range, "must be in the years 0001 to 9999"}; }

/// `shift` is the part after "now": "+7d".
TimeResult<Instant> shifted(Instant now, std::string_view shift) {
    if (shift.empty()) return now;
    if (shift.front() != '+' && shift.front() != '-') return bad_moment();
    const auto by = parse_calendar_duration(shift.substr(1));
    if (!by) return bad_moment();
    const auto moment = shift.front() == '+' ? later(now, *by) : earlier(now, *by);
    return moment ? TimeResult<Instant>(*moment) : too_far();
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
