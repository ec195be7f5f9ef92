#include "domain/time/local_request.hpp"

namespace sundial {

TimeResult<LocalRequest> read_local_request(std::string_view text,
                                            std::optional<std::string_view> zone) {
    const auto local = parse_local(text);
    if (!local) return local.error();
    const std::optional<std::string>& suffix = local->zone;
    if (zone && suffix && *zone != *suffix)
        return TimeError{
            TimeErrorCode::bad_request,
            "the separate zone and the zone in the brackets of the time must be equal"};
    if (!zone && !suffix)
        return TimeError{TimeErrorCode::bad_request,
                         "a local time needs a zone: give it separately or in brackets, as "
                         "2027-05-04T10:11:12[Europe/Rome]"};
    return LocalRequest{local->wall, zone ? std::string(*zone) : *suffix, local->offset};
}

std::optional<TimeError> offset_defect(const InstantText& text, const Zone& zone) {
    if (!text.offset) return std::nullopt;
    const auto right = zone.offset_at(text.instant);
    if (right == *text.offset) return std::nullopt;
    return TimeError{TimeErrorCode::offset_mismatch,
                     "the offset " + format_offset(*text.offset) + " is not the one of " +
                         std::string(zone.name()) + " at that time, " + format_offset(right)};
}

}  // namespace sundial
