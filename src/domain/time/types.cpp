#include "domain/time/types.hpp"

#include <array>
#include <cstddef>

#include "base/check.hpp"

namespace sundial {
namespace {

// In the order of the enumerators, from 0.
constexpr std::array<std::string_view, 6> gap_names{"compatible", "earlier", "later",
                                                    "boundary",   "skip",    "reject"};
constexpr std::array<std::string_view, 6> overlap_names{"compatible", "earlier", "later",
                                                        "both",       "skip",    "reject"};
constexpr std::array<std::string_view, 3> leap_names{"feb28", "mar1", "skip"};
constexpr std::array<std::string_view, 3> misfire_names{"all", "once", "skip"};
static_assert(gap_names[static_cast<std::size_t>(GapPolicy::reject)] == "reject");
static_assert(overlap_names[static_cast<std::size_t>(OverlapPolicy::reject)] == "reject");
static_assert(leap_names[static_cast<std::size_t>(LeapPolicy::skip)] == "skip");
static_assert(misfire_names[static_cast<std::size_t>(MisfirePolicy::skip)] == "skip");

template <class Policy, std::size_t N>
std::optional<Policy> by_name(const std::array<std::string_view, N>& names, std::string_view name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<Policy>(found - names.begin());
}

}  // namespace

std::string_view to_string(GapPolicy policy) {
    return gap_names.at(static_cast<std::size_t>(policy));
}
std::string_view to_string(OverlapPolicy policy) {
    return overlap_names.at(static_cast<std::size_t>(policy));
}
std::string_view to_string(LeapPolicy policy) {
    return leap_names.at(static_cast<std::size_t>(policy));
}
std::string_view to_string(MisfirePolicy policy) {
    return misfire_names.at(static_cast<std::size_t>(policy));
}

std::optional<GapPolicy> gap_policy(std::string_view name) {
    return by_name<GapPolicy>(gap_names, name);
}
std::optional<OverlapPolicy> overlap_policy(std::string_view name) {
    return by_name<OverlapPolicy>(overlap_names, name);
}
std::optional<LeapPolicy> leap_policy(std::string_view name) {
    return by_name<LeapPolicy>(leap_names, name);
}
std::optional<MisfirePolicy> misfire_policy(std::string_view name) {
    return by_name<MisfirePolicy>(misfire_names, name);
}

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
