#pragma once

#include <memory>
#include <optional>

#include "domain/time/recurrence.hpp"

namespace sundial {

/// What of `rule` lies from `from` to `until`, both inclusive, each open where empty: a schedule's
/// start and end. The rule itself is the same: its COUNT does not begin anew.
[[nodiscard]] std::unique_ptr<Recurrence> bounded(std::shared_ptr<const Recurrence> rule,
                                                  std::optional<Instant> from,
                                                  std::optional<Instant> until);

/// The rule of one occurrence, or of none: what a single time is among recurring ones.
[[nodiscard]] std::unique_ptr<Recurrence> single_recurrence(
    std::optional<RuleOccurrence> occurrence);

}  // namespace sundial
