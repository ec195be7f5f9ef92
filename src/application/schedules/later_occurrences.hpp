#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "domain/schedule_rule.hpp"
#include "domain/time/recurrence.hpp"

namespace sundial {

/// Bounds the schedules that one response reads.
inline constexpr std::size_t max_later_schedules = 10'000;

/// A schedule with its occurrences that no event has been planned for yet, in order.
struct LaterOccurrences {
    const ScheduleRule& rule;
    const Event* planned;      // its latest planned event; null: it has none
    ListedOccurrences* later;  // null: the rule has ended
};
using UseLater = std::function<void(const LaterOccurrences&)>;

/// Calls `use` for each enabled schedule without users, `most` of them at most, with its later
/// occurrences at or after `from`. Returns whether there are more schedules. Schedules of users are
/// left out, because their occurrences would be computed for every user.
///
/// Each hundred schedules are read in a transaction of their own. Rules are computed, and `use` is
/// called, outside of it, so `planned` may be later than events that the caller has read before.
[[nodiscard]] bool each_later(Store& store, const TzData& zones, Instant from, std::size_t most,
                              const UseLater& use);

/// The enabled schedules of users that may fire more than once in a time of this length: a list has
/// only the planned event of each user. 500 of them at most.
[[nodiscard]] std::vector<ScheduleId> only_next_event(Transaction& tx,
                                                      std::chrono::microseconds length);

}  // namespace sundial
