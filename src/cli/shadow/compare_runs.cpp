#include "cli/shadow/compare_runs.hpp"

#include <algorithm>
#include <iterator>

namespace sundial::cli {
namespace {

struct Paired {
    std::vector<RunPair> pairs{};
    std::vector<Instant> only_old{}, only_current{};
};

/// Greedy from the start, which makes as many pairs as possible: a run that is too early for the
/// other list's next run is too early for all later ones.
Paired pair_runs(const std::vector<Instant>& old, const std::vector<Instant>& current,
                 std::chrono::microseconds apart) {
    Paired found;
    auto left = old.begin();
    auto right = current.begin();
    while (left != old.end() && right != current.end()) {
        if (*left <= *right + apart && *right <= *left + apart) {
            found.pairs.push_back({*left++, *right++});
        } else if (*left < *right) {
            found.only_old.push_back(*left++);
        } else {
            found.only_current.push_back(*right++);
        }
    }
    found.only_old.insert(found.only_old.end(), left, old.end());
    found.only_current.insert(found.only_current.end(), right, current.end());
    return found;
}

}  // namespace

RunComparison compare_runs(const std::vector<Instant>& old, const std::vector<Instant>& current,
                           const ComparisonLimits& limits) {
    const auto counts = [&limits](Instant at) { return limits.from <= at && at <= limits.to; };
    RunComparison found;
    const Paired matches = pair_runs(old, current, limits.tolerance);
    for (const RunPair& pair : matches.pairs) {
        if (!counts(pair.old)) continue;
        ++found.matched;
        found.largest = std::max(found.largest, std::chrono::abs(pair.current - pair.old));
    }
    // Runs before the current scheduler had the job must not be pairs of its first ones.
    std::vector<Instant> old_left;
    for (const Instant at : matches.only_old) {
        if (at >= limits.old_from) {
            old_left.push_back(at);
        } else if (counts(at)) {
            ++found.before;
        }
    }
    Paired others = pair_runs(old_left, matches.only_current, limits.window);
    for (const RunPair& pair : others.pairs) {
        if (counts(pair.old)) (pair.current < pair.old ? found.early : found.late).push_back(pair);
    }
    std::ranges::copy_if(others.only_old, std::back_inserter(found.missing), counts);
    std::ranges::copy_if(others.only_current, std::back_inserter(found.extra), counts);
    return found;
}

}  // namespace sundial::cli
