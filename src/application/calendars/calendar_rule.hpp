#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/schedule_rule.hpp"
#include "domain/time/recurrence_set.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// A schedule's rule as properties of RFC 5545.
struct CalendarRule {
    bool utc = false;  // the times are in UTC; otherwise in the zone of the rule
    WallTime dtstart;
    std::vector<std::string> lines{};  // RRULE, RDATE and EXDATE
};

/// The rule from `from` on, if RFC 5545 can express the same occurrences in the rule's zone;
/// otherwise empty, and its occurrences have to be listed. Readers differ about local times that do
/// not exist or occur twice, so a rule with such a time in the period of a fingerprint counts as
/// not expressible. `find_zone` is that of the rule.
[[nodiscard]] std::optional<CalendarRule> calendar_rule(const ScheduleRule& rule, Instant from,
                                                        const FindZone& find_zone);

}  // namespace sundial
