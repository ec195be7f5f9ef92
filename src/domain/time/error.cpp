#include "domain/time/error.hpp"

#include "base/check.hpp"

namespace sundial {

std::string_view to_string(TimeErrorCode code) {
    switch (code) {
        case TimeErrorCode::bad_request:
            return "bad_request";
        case TimeErrorCode::bad_time:
            return "bad_time";
        case TimeErrorCode::out_of_range:
            return "out_of_range";
        case TimeErrorCode::nonexistent_time:
            return "nonexistent_time";
        case TimeErrorCode::ambiguous_time:
            return "ambiguous_time";
        case TimeErrorCode::offset_mismatch:
            return "offset_mismatch";
        case TimeErrorCode::unknown_zone:
            return "unknown_zone";
        case TimeErrorCode::bad_interval:
            return "bad_interval";
        case TimeErrorCode::bad_cron:
            return "bad_cron";
        case TimeErrorCode::bad_rrule:
            return "bad_rrule";
        case TimeErrorCode::never_fires:
            return "never_fires";
        case TimeErrorCode::not_allowed:
            return "not_allowed";
        case TimeErrorCode::too_expensive:
            return "too_expensive";
    }
    base::check(false);
    return {};
}

}  // namespace sundial
