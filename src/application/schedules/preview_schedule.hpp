#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"
#include "application/schedules/schedule_fields.hpp"

namespace sundial {

/// The user and the zone of the occurrences.
struct PreviewScope {
    std::optional<std::string> user{};      // id or ext:…; for a perUser schedule
    std::optional<std::string> timezone{};  // replaces the zone of the user or the schedule
};

struct PreviewRequest {
    std::string schedule{};                  // id or ext:… of a stored schedule; or
    std::optional<ScheduleFields> fields{};  // an unstored one, with its trigger
    PreviewScope scope{};
    std::optional<std::string> from{};  // inclusive: an instant, or now+7d; default now
    std::size_t count = 10;
};
struct OccurrencesRequest {
    std::string schedule{};
    PreviewScope scope{};
    std::optional<std::string> from{}, to{};  // inclusive, default now; exclusive, default open
    std::optional<Instant> after{};           // the end of the previous page
    std::size_t limit = 50;
};

/// One occurrence for display.
struct PreviewedOccurrence {
    Instant place;  // its instant; for a skipped one, the instant that it would have had
    std::optional<Instant> target;              // empty: a policy of the rule skips it
    std::string local{};                        // the target in local time, with its offset
    std::string note{};                         // the effect of a clock change or a leap day
    std::optional<std::string> wanted_local{};  // the nominal local time, if `local` differs
    std::optional<std::string> skipped{};       // for past ones: why it did not fire
};

struct Preview {
    std::string description;  // of the schedule, in plain words
    std::string zone;
    std::vector<std::string> warnings{};
    std::vector<PreviewedOccurrence> occurrences{};
    bool has_more = false;
};

/// The times of a schedule, computed from its current rule, outside any transaction. They are not
/// stored. A rule that takes too long to compute is refused: ValidationFailed, too_expensive.
class PreviewSchedule {
public:
    PreviewSchedule(Store& store, const TimeZones& zones) : store_(store), zones_(zones) {}
    /// The next occurrences. Errors: NotFound; ValidationFailed at /userId, /override/timezone,
    /// /from, /scheduleId, and at /schedule/… for an unstored schedule; InvalidTemplate.
    [[nodiscard]] ScheduleResult<Preview> run(const PreviewRequest& request);
    /// A page of occurrences. Past ones show whether they were skipped, and why. Occurrences of one
    /// instant stay on one page. Errors: NotFound; ValidationFailed at ?scheduleId, ?userId,
    /// ?timezone, ?from, ?to.
    [[nodiscard]] ScheduleResult<Preview> list(const OccurrencesRequest& request);

private:
    Store& store_;
    const TimeZones& zones_;
};

}  // namespace sundial
