#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "simulation/defects.hpp"

namespace sundial::simulation {

/// The kinds of faults to inject.
enum class Profile : std::uint8_t { none, crash, replies, pause, clock, mixed };
[[nodiscard]] std::string_view to_string(Profile profile);
[[nodiscard]] std::optional<Profile> parse_profile(std::string_view name);

struct Settings {
    std::uint64_t seed = 1;
    double years = 0.1;
    Profile faults = Profile::mixed;
    Defect defect = Defect::none;  // to test that the checker finds it
};

/// Fault rates: per call of a port as a probability, for a process by itself as a number per year.
struct Rates {
    double dies = 0;  // before or after the call takes effect
    double lost_request = 0;
    double lost_reply = 0;   // the call took effect, but the caller gets no response
    double late = 0;         // the response takes seconds
    double away = 0;         // the database answers no instance for seconds
    double lost_answer = 0;  // by a receiver
    double freeze = 0;       // between two turns, or within one
    double stops = 0;        // with a claim or a settlement in progress beside the loop
    double kills = 0;        // per year
    double clock_steps = 0;  // of the database, forward, per year
    double drift = 0;        // maximum, of the processes' clocks
};
/// The rates of one seed: some have few faults, others many.
[[nodiscard]] Rates rates_of(Profile profile, double severity);

}  // namespace sundial::simulation
