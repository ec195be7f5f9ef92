#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "domain/time/recurrence.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

namespace sundial {

/// A date that recurs every year (time-semantics 6). Its policies are never `reject`: the code that
/// makes a rule must refuse it.
struct YearlyRule {
    std::chrono::month_day day;  // 29 February included
    std::optional<std::chrono::year>
        from;  // the year of the date itself, its first occurrence; empty for --MM-DD
    TimeOfDay at{9 * 3600};
    LeapPolicy leap = LeapPolicy::feb28;
    GapPolicy gap = GapPolicy::compatible;
    OverlapPolicy overlap = OverlapPolicy::compatible;
};

/// One occurrence. `nominal` identifies it permanently: once it has fired it never fires again,
/// whatever moves its instant (time-semantics 10).
struct YearlyOccurrence {
    Date nominal;   // after the leap policy, before gap and overlap
    WallTime wall;  // nominal date at the rule's time
    Instant instant;
    bool second_pass = false;  // the later pass of an overlap with `both`
};

/// The rule in `zone`: one occurrence a year; two if the clocks are set back over it and overlap is
/// `both`; none if a policy skips it.
[[nodiscard]] std::unique_ptr<Recurrence> yearly_recurrence(const YearlyRule& rule,
                                                            std::shared_ptr<const Zone> zone);

/// The nominal date of the occurrence in year `in`; empty for 29 February of a common year with
/// leap policy `skip`.
[[nodiscard]] std::optional<Date> nominal_date(const YearlyRule& rule, std::chrono::year in);

/// The first occurrence strictly after `after` in `zone`; empty after year 9999. A year that a
/// policy skips has none. With overlap `both` the second pass is a separate occurrence.
[[nodiscard]] std::optional<YearlyOccurrence> next_yearly(const YearlyRule& rule, const Zone& zone,
                                                          Instant after);

/// The occurrence with nominal date `nominal`, resolved in `zone`: moves a pending one when its
/// user moves to another zone. Empty if a policy skips it there; the first pass if there are two.
[[nodiscard]] std::optional<YearlyOccurrence> yearly_on(const YearlyRule& rule, const Zone& zone,
                                                        Date nominal);

/// "every year on 29 February at 09:00, in common years on 28 February".
[[nodiscard]] std::string describe(const YearlyRule& rule);

}  // namespace sundial
