#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "application/requests/edits.hpp"
#include "domain/schedule.hpp"

namespace sundial {

/// A requested trigger, as texts. Empty fields stay, or get their defaults.
struct YearlyFields {
    std::optional<std::string> on{}, at{};
};
struct TriggerFields {
    // At most one of them.
    std::optional<YearlyFields> yearly{};
    std::optional<std::string> cron{};
    std::optional<RruleTrigger> rrule{};
    std::optional<std::string> every{};
};

/// The fields of a request for a schedule, as texts, so that all defects are reported together.
/// Empty fields stay. In a new schedule they get their defaults, which for policies depend on the
/// kind of the trigger.
struct ScheduleFields {
    std::optional<std::string> external_id{};  // only for a new schedule
    std::optional<std::string> event_type{};
    std::optional<Priority> priority{};
    std::optional<bool> enabled{};
    Edit<std::string> note{};
    std::optional<TriggerFields> trigger{};
    std::optional<bool> per_user{};  // only for a new schedule
    Edit<std::string> timezone{};
    Edit<std::string> endpoint{};          // id or ext:…
    std::optional<std::string> payload{};  // template
    std::optional<GapPolicy> gap{};
    std::optional<OverlapPolicy> overlap{};
    std::optional<LeapPolicy> leap{};
    std::optional<MisfirePolicy> misfire{};
    Edit<std::string> window{};
    std::optional<std::string> grace{};
    std::optional<std::uint32_t> limit{};
    std::optional<Concurrency> concurrency{};
    std::optional<std::string> jitter{};
    Edit<std::string> starts_at{}, ends_at{};
    std::optional<std::vector<std::string>> tags{};
    Edit<std::string> ping_url{};
};

/// `{"cron":"30 2 * * *"}`: a trigger in the form of the API and of recorded events.
[[nodiscard]] std::string trigger_json(const Trigger& trigger);

}  // namespace sundial
