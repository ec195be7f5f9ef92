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

/// The rule from `from` on, if RFC 5545 has one with the same occurrences in the rule's zone.
/// Readers differ about local times that do not exist or occur twice. So a rule that has such a
/// time within the reach of a fingerprint is not said; its occurrences have to be listed.
/// `find_zone` is that of the rule.
[[nodiscard]] std::optional<CalendarRule> calendar_rule(const ScheduleRule& rule, Instant from,
                                                        const FindZone& find_zone);

}  // namespace sundial
