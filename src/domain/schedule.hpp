#pragma once

#include <optional>
#include <string>

#include "domain/error.hpp"
#include "domain/event.hpp"
#include "domain/ids.hpp"
#include "domain/time/yearly.hpp"
#include "domain/user.hpp"

namespace sundial {

/// Every year on `on` (`dateOfBirth`, a key of the user's `dates`, or `MM-DD`) at `at`.
struct YearlyTrigger {
    std::string on = "dateOfBirth";
    TimeOfDay at{9 * 3600};
    friend bool operator==(const YearlyTrigger&, const YearlyTrigger&) = default;
};

/// A rule that yields events. A perUser schedule runs once for each user, in that user's zone.
struct Schedule {
    ScheduleId id;
    std::optional<std::string> external_id;
    std::string event_type;
    Priority priority = Priority::normal;
    bool enabled = true;
    std::optional<std::string> note;
    YearlyTrigger trigger;
    std::optional<EndpointId> endpoint;  // none: planned, and waits when due
    std::string payload;                 // JSON template, see application/payload_template.hpp
    GapPolicy gap = GapPolicy::compatible;
    OverlapPolicy overlap = OverlapPolicy::compatible;
    LeapPolicy leap = LeapPolicy::feb28;
    Version version{1};
    Version planned_version{1};  // PENDING events agree with this version; behind `version` while
                                 // an edit works through them
    Instant created_at;
    Instant updated_at;
    friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// The rule that `schedule` is for `user`; empty if the user lacks the date, or `on` is a day that
/// no year has.
[[nodiscard]] std::optional<YearlyRule> rule_for(const Schedule& schedule, const User& user);

}  // namespace sundial
