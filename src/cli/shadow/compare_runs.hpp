#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "domain/time/types.hpp"

/// The runs of one job in two schedulers.
namespace sundial::cli {

struct RunPair {
    Instant old, current;
    friend bool operator==(const RunPair&, const RunPair&) = default;
};

struct ComparisonLimits {
    std::chrono::microseconds tolerance{};  // of a match
    std::chrono::microseconds window{};     // between a run and the same run, early or late
    Instant from{}, to{};                   // inclusive; runs outside are not counted
    Instant old_from{};                     // earlier runs of the old scheduler are not missing
};

struct RunComparison {
    std::size_t matched = 0;
    std::chrono::microseconds largest{0};  // difference of a match
    std::vector<RunPair> early{}, late{};  // of the current one
    std::vector<Instant> missing{};        // only in the old one
    std::vector<Instant> extra{};          // only in the current one
    std::size_t before = 0;                // of the old one, before `old_from`

    [[nodiscard]] bool same() const {
        return early.empty() && late.empty() && missing.empty() && extra.empty();
    }
};

/// Pairs the runs in their order: first those that match, then those of the others that are at most
/// `window` apart. Both lists are in ascending order. A pair counts if its old run does.
[[nodiscard]] RunComparison compare_runs(const std::vector<Instant>& old,
                                         const std::vector<Instant>& current,
                                         const ComparisonLimits& limits);

}  // namespace sundial::cli
