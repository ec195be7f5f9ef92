#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.hpp"
#include "domain/event.hpp"
#include "domain/ids.hpp"
#include "domain/occurrence.hpp"
#include "domain/time/misfire.hpp"
#include "domain/time/yearly.hpp"
#include "domain/user.hpp"

namespace sundial {

/// Whether an occurrence may start while the previous one is unfinished.
enum class Concurrency : std::uint8_t { allow, forbid };
[[nodiscard]] std::string_view to_string(Concurrency concurrency);
[[nodiscard]] std::optional<Concurrency> parse_concurrency(std::string_view name);

/// A rule that yields events. A perUser schedule runs once for each user, in that user's zone; any
/// other runs in its own zone.
struct Schedule {
    ScheduleId id;
    std::optional<std::string> external_id;
    std::string event_type;
    Priority priority = Priority::normal;
    bool enabled = true;
    std::optional<std::string> note;
    Trigger trigger;
    bool per_user = true;
    std::optional<std::string> timezone;  // as given; empty if it is each user's
    std::optional<EndpointId> endpoint;   // none: events are planned, and wait when due
    std::string payload;  // JSON template, see application/schedules/payload_template.hpp
    GapPolicy gap = GapPolicy::compatible;
    OverlapPolicy overlap = OverlapPolicy::compatible;
    LeapPolicy leap = LeapPolicy::feb28;
    MisfireRule misfire{};
    Concurrency concurrency = Concurrency::allow;
    std::chrono::seconds jitter{0};
    std::optional<Instant> starts_at, ends_at;  // both inclusive
    Version version{1};
    Version planned_version{1};  // of PENDING events; behind `version` during an edit
    Instant created_at;
    Instant updated_at;
    std::vector<std::string> tags{};  // sorted, each once
    /// Gets a POST request after each run that completed (application/delivery/pings.hpp).
    std::optional<std::string> ping_url{};
    friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// For people: "every year on dateOfBirth at 09:00 in each user's zone".
[[nodiscard]] std::string describe(const Schedule& schedule);

/// The rule of a yearly `schedule` for `user`, which may be null. Empty if the user lacks the date,
/// or `on` is a day that no year has.
[[nodiscard]] std::optional<YearlyRule> rule_for(const Schedule& schedule, const User* user);

}  // namespace sundial
