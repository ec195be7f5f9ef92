#pragma once

#include <optional>
#include <string_view>

#include "application/ports/ids.hpp"
#include "domain/event.hpp"
#include "domain/schedule.hpp"
#include "domain/time/yearly.hpp"
#include "domain/time/zone.hpp"
#include "domain/user.hpp"

namespace sundial {

/// The first occurrence of `schedule` for `user` strictly after `after`, in `zone` (the user's).
/// Empty if the user lacks the date, or year 9999 is passed.
[[nodiscard]] std::optional<YearlyOccurrence> first_occurrence(const Schedule& schedule,
                                                               const User& user, const Zone& zone,
                                                               Instant after);

/// The one that follows `fired`, an event of `schedule`, by the rule, date and zone of today: later
/// than its instant and its nominal date, and not a second time in one year for what is still the
/// same date (29 February may have moved between 28 February and 1 March by an edit).
[[nodiscard]] std::optional<YearlyOccurrence> next_occurrence(const Schedule& schedule,
                                                              const User& user, const Zone& zone,
                                                              const Event& fired);

/// The event that `occurrence` is: PENDING, its payload rendered, its key a function of schedule,
/// user and nominal date. Parked while the schedule is paused.
[[nodiscard]] Event plan_occurrence(const Schedule& schedule, const User& user, const Zone& zone,
                                    const YearlyOccurrence& occurrence, Ids& ids,
                                    std::string_view tz_release, Instant now);

}  // namespace sundial
