#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/edits.hpp"
#include "domain/schedule.hpp"

namespace sundial {

/// A trigger as asked for, in texts; what is empty stays as it is, or has its default.
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

/// What a request says of a schedule, in texts, so that all that is wrong with it is told at once.
/// What is empty stays as it is; of a new schedule it has its default, which for policies depends
/// on the kind of the trigger.
struct ScheduleFields {
    std::optional<std::string> external_id{};  // only of a new one
    std::optional<std::string> event_type{};
    std::optional<Priority> priority{};
    std::optional<bool> enabled{};
    Edit<std::string> note{};
    std::optional<TriggerFields> trigger{};
    std::optional<bool> per_user{};  // only of a new one
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
};

/// `before` with all that `fields` say. Errors: ValidationFailed, with every field that is wrong
/// (pointers /trigger/cron, /timezone, …); InvalidTemplate.
[[nodiscard]] Result<Schedule> edited(Transaction& tx, Schedule before,
                                      const ScheduleFields& fields, const TzData& zones);
/// The schedule that `fields` ask for where there is none yet. `eventType` and `trigger` are there.
/// Errors: as above.
[[nodiscard]] Result<Schedule> read_schedule(Transaction& tx, ScheduleId id,
                                             const ScheduleFields& fields, const TzData& zones);

}  // namespace sundial
