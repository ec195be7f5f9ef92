#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulation/history.hpp"

namespace sundial::simulation {

/// Something that must never be, and the event that shows it.
struct Breach {
    std::string invariant;  // I1 to I17 of the reliability specification
    std::string text;
    std::optional<EventId> event;
};

struct Verdict {
    std::vector<Breach> breaches;
    /// What looked like a breach and had a cause that the history tells, by invariant and cause.
    std::map<std::string, std::uint64_t> excused;
    [[nodiscard]] bool good() const { return breaches.empty(); }
};

/// Decides by the history alone: the same history, the same verdict.
[[nodiscard]] Verdict check(const History& history);

}  // namespace sundial::simulation
