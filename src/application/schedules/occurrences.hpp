#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "domain/event.hpp"
#include "domain/schedule_rule.hpp"

namespace sundial {

/// The decision of a schedule's policies about a claimed event, and where its chain continues.
struct Judgement {
    std::string dropped{};  // the policy that drops it; empty: it fires
    Instant last{};         // the last occurrence dropped with it; all form one run
    std::uint64_t count = 1;
    std::optional<RuleOccurrence> next{};
};

/// Decides by misfire policy (how late the event is, and which occurrences have come due since) and
/// by concurrency (whether the previous event is unfinished). An event that was sent before, or
/// moved by a caller, fires.
[[nodiscard]] Judgement judge(Transaction& tx, const ScheduleRule& rule, const Event& claimed);

/// The rule of `schedule` for `user` (null: for none), in the zone in which it runs. Errors:
/// unknown_zone, never_fires (also if the user lacks the date).
[[nodiscard]] TimeResult<ScheduleRule> rule_of_schedule(const Schedule& schedule, const User* user,
                                                        const TzData& zones);

/// The event for `occurrence`: PENDING, with its payload rendered and a key derived from schedule,
/// user and nominal time. Parked while the schedule is paused.
[[nodiscard]] Event plan_occurrence(const ScheduleRule& rule, const RuleOccurrence& occurrence,
                                    Ids& ids, std::string_view tz_release, Instant now);

/// Renders a payload template with the data of the user, if there is one, and of the instant. Empty
/// if the result is longer than the limit for payloads.
[[nodiscard]] std::string rendered_payload(std::string_view payload, const User* user,
                                           const Zone& zone, Date nominal, Instant due);

/// Whether the schedule has its next event for that user, or for none.
[[nodiscard]] bool has_chain(Transaction& tx, ScheduleId schedule, const User* user);
/// Whether a live event of the chain of `event` is due later than it.
[[nodiscard]] bool has_successor(Transaction& tx, const Event& event);

}  // namespace sundial
