#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulation/history.hpp"

namespace sundial::simulation {

/// A violation of an invariant, and the event that shows it.
struct Breach {
    std::string invariant;  // I1 to I17 of the reliability specification
    std::string text;
    std::optional<EventId> event;
};

struct Verdict {
    std::vector<Breach> breaches;
    /// Apparent breaches that have a cause in the history, by invariant and cause.
    std::map<std::string, std::uint64_t> excused;
    [[nodiscard]] bool good() const { return breaches.empty(); }
};

/// Uses only the history: the same history gives the same verdict.
[[nodiscard]] Verdict check(const History& history);

}  // namespace sundial::simulation
