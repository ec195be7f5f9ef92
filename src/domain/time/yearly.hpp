#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "domain/time/recurrence.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

namespace sundial {

/// A date that comes back every year (time-semantics 6). Its policies are never `reject`: whoever
/// makes a rule refuses that.
struct YearlyRule {
    std::chrono::month_day day;  // 29 February included
    std::optional<std::chrono::year>
        from;  // the year of the date itself, its first occurrence; empty for --MM-DD
    TimeOfDay at{9 * 3600};
    LeapPolicy leap = LeapPolicy::feb28;
    GapPolicy gap = GapPolicy::compatible;
    OverlapPolicy overlap = OverlapPolicy::compatible;
};

/// One occurrence. `nominal` identifies it for ever: what has fired for it never fires again,
/// whatever moves its instant (time-semantics 10).
struct YearlyOccurrence {
    Date nominal;   // after the leap policy, before gap and overlap
    WallTime wall;  // nominal date at the rule's time
    Instant instant;
    bool second_pass = false;  // the later of two in an overlap with `both`
};

/// The rule as it runs in `zone`: one occurrence a year; with overlap `both` two where the clocks
/// are set back over it; none where a policy skips it.
[[nodiscard]] std::unique_ptr<Recurrence> yearly_recurrence(const YearlyRule& rule,
                                                            std::shared_ptr<const Zone> zone);

/// The nominal date of the occurrence of year `in`; empty for 29 February of a common year with
/// leap policy `skip`.
[[nodiscard]] std::optional<Date> nominal_date(const YearlyRule& rule, std::chrono::year in);

/// The first occurrence strictly after `after` in `zone`; empty when year 9999 is passed. A year
/// that a policy skips has none. With overlap `both` the second pass is an occurrence of its own.
[[nodiscard]] std::optional<YearlyOccurrence> next_yearly(const YearlyRule& rule, const Zone& zone,
                                                          Instant after);

/// The occurrence whose nominal date is `nominal`, resolved in `zone`: how a pending one follows
/// its person to another zone. Empty if a policy skips it there; the first pass where there are
/// two.
[[nodiscard]] std::optional<YearlyOccurrence> yearly_on(const YearlyRule& rule, const Zone& zone,
                                                        Date nominal);

/// "every year on 29 February at 09:00, in common years on 28 February".
[[nodiscard]] std::string describe(const YearlyRule& rule);

}  // namespace sundial
