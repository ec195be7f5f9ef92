#include "simulation/settings.hpp"

#include <array>
#include <utility>

namespace sundial::simulation {
namespace {

constexpr std::array<std::pair<std::string_view, Profile>, 6> names{{{"none", Profile::none},
                                                                     {"crash", Profile::crash},
                                                                     {"replies", Profile::replies},
                                                                     {"pause", Profile::pause},
                                                                     {"clock", Profile::clock},
                                                                     {"mixed", Profile::mixed}}};

}  // namespace

std::string_view to_string(Profile profile) {
    return names.at(static_cast<std::size_t>(profile)).first;
}

std::optional<Profile> parse_profile(std::string_view name) {
    for (const auto& [text, profile] : names) {
        if (text == name) return profile;
    }
    return std::nullopt;
}

Rates rates_of(Profile profile, double severity) {
    const bool all = profile == Profile::mixed;
    Rates rates;
    if (all || profile == Profile::crash) {
        rates.dies = 0.01 * severity;
        rates.stops = 0.005 * severity;
        rates.kills = 100 * severity;
    }
    if (all || profile == Profile::replies) {
        rates.lost_request = 0.02 * severity;
        rates.lost_reply = 0.04 * severity;
        rates.late = 0.02 * severity;
        rates.away = 0.001 * severity;
        rates.lost_answer = 0.05 * severity;
    }
    if (all || profile == Profile::pause) rates.freeze = 0.01 * severity;
    if (all || profile == Profile::clock) {
        rates.clock_steps = 500 * severity;
        rates.drift = 0.02;
    }
    return rates;
}

}  // namespace sundial::simulation
