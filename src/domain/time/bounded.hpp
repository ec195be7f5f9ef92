#pragma once

#include <memory>
#include <optional>

#include "domain/time/recurrence.hpp"

namespace sundial {

/// The occurrences of `rule` from `from` to `until`, both inclusive, each unbounded if empty: a
/// schedule's start and end. The rule itself does not change: its COUNT includes occurrences before
/// `from`.
[[nodiscard]] std::unique_ptr<Recurrence> bounded(std::shared_ptr<const Recurrence> rule,
                                                  std::optional<Instant> from,
                                                  std::optional<Instant> until);

/// A rule with one occurrence or none, for intents that are a single time.
[[nodiscard]] std::unique_ptr<Recurrence> single_recurrence(
    std::optional<RuleOccurrence> occurrence);

}  // namespace sundial
