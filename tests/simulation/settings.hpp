#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "simulation/defects.hpp"

namespace sundial::simulation {

/// Which faults there are.
enum class Profile : std::uint8_t { none, crash, replies, pause, clock, mixed };
[[nodiscard]] std::string_view to_string(Profile profile);
[[nodiscard]] std::optional<Profile> parse_profile(std::string_view name);

struct Settings {
    std::uint64_t seed = 1;
    double years = 0.1;
    Profile faults = Profile::mixed;
    Defect defect = Defect::none;  // to see whether the checker finds it
};

/// What goes wrong with one call of a port, as a probability, and with a process by itself, as a
/// number each year.
struct Rates {
    double dies = 0;  // before the call takes effect, or after
    double lost_request = 0;
    double lost_reply = 0;   // it took effect, and whoever asked is told nothing
    double late = 0;         // the answer takes seconds
    double lost_answer = 0;  // of a receiver
    double freeze = 0;       // between two turns, or within one
    double stops = 0;        // with a claim or a settlement under way beside the loop
    double kills = 0;        // each year
    double clock_steps = 0;  // of the database, forward, each year
    double drift = 0;        // of the processes' clocks, at most
};
/// Of one seed: some have few faults, others many.
[[nodiscard]] Rates rates_of(Profile profile, double severity);

}  // namespace sundial::simulation
