#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "domain/time/types.hpp"

namespace sundial {

/// The delay between `due` and the dispatch of an occurrence of `schedule` (its id): at least zero,
/// less than `jitter`, and less than half the distance to `next`, the following occurrence
/// (time-semantics 11). The same on every machine and in every release, so that a restart changes
/// nothing.
[[nodiscard]] std::chrono::microseconds jitter_of(std::string_view schedule, Instant due,
                                                  std::optional<Instant> next,
                                                  std::chrono::seconds jitter);

}  // namespace sundial
