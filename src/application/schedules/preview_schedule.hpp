#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/schedules/schedule_fields.hpp"

namespace sundial {

/// Whose occurrences, and where.
struct PreviewScope {
    std::optional<std::string> user{};      // id or ext:…; of a perUser schedule
    std::optional<std::string> timezone{};  // in place of the user's or the schedule's own
};

struct PreviewWish {
    std::string schedule{};                  // id or ext:… of one that is stored; or
    std::optional<ScheduleFields> fields{};  // one that is not; its trigger is there
    PreviewScope scope{};
    std::optional<std::string> from{};  // inclusive: an instant, or now+7d; now
    std::size_t count = 10;
};
struct OccurrencesWish {
    std::string schedule{};
    PreviewScope scope{};
    std::optional<std::string> from{}, to{};  // inclusive, now; exclusive, open
    std::optional<Instant> after{};           // where the page before ended
    std::size_t limit = 50;
};

/// One occurrence as people look at it.
struct PreviewedOccurrence {
    Instant place;                  // its instant; of a skipped one, where it would have stood
    std::optional<Instant> target;  // empty: a policy of the rule skips it
    std::string local{};            // the target on the clock of the zone, with its offset
    std::string note{};             // what a change of the clocks or a leap day did to it
    std::optional<std::string>
        wanted_local{};                    // what the clock should have shown, where it did not
    std::optional<std::string> skipped{};  // of the past: why it did not fire
};

struct Preview {
    std::string description;  // of the schedule, in plain words
    std::string zone;
    std::vector<std::string> warnings{};
    std::vector<PreviewedOccurrence> occurrences{};
    bool has_more = false;
};

/// When a schedule fires, computed from its present rule; nothing of it is stored.
class PreviewSchedule {
public:
    PreviewSchedule(Store& store, const TimeZones& zones) : store_(store), zones_(zones) {}
    /// The next occurrences. Errors: NotFound; ValidationFailed at /userId, /override/timezone,
    /// /from, and of what is not stored at /schedule/…; InvalidTemplate.
    [[nodiscard]] Result<Preview> run(const PreviewWish& wish);
    /// A page of them. Of the past it says what was skipped, and why. Occurrences of one instant
    /// stay on one page. Errors: NotFound; ValidationFailed at ?userId, ?timezone, ?from, ?to.
    [[nodiscard]] Result<Preview> list(const OccurrencesWish& wish);

private:
    Store& store_;
    const TimeZones& zones_;
};

}  // namespace sundial
