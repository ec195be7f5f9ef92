#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/ports/wakeups.hpp"
#include "domain/schedule_rule.hpp"

namespace sundial {

/// Occurrences from `from` to before `to`, which is not later than now.
struct BackfillWish {
    std::string from, to;  // instants, or now-7d
    bool dry_run = false;
};

struct Backfill {
    struct Sample {
        Instant due;
        std::string zone;
        std::optional<UserId> user;
    };
    std::uint64_t occurrences = 0;  // that the rule has there
    std::uint64_t created = 0;      // events for those that had none; of a dry run none
    std::vector<Sample> samples;    // the first of them
};

/// Makes events of the past occurrences of a schedule that have none: what was missed while it was
/// paused, skipped by policy, or lies before it was made. Each has the key of its occurrence, so
/// nothing is sent twice and repeating it is harmless; so is going on after it was cut short.
class BackfillSchedule {
public:
    BackfillSchedule(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups)
        : store_(store), zones_(zones), ids_(ids), wakeups_(wakeups) {}
    /// Errors: NotFound; ValidationFailed, at /from and /to, also for a range that holds more than
    /// 100,000 occurrences.
    [[nodiscard]] Result<Backfill> run(std::string_view reference, const BackfillWish& wish);

private:
    [[nodiscard]] std::uint64_t create(ScheduleId id, Instant before, Instant last);
    [[nodiscard]] std::uint64_t create_for(ScheduleId id, std::optional<UserId> user,
                                           Instant before, Instant last);

    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
};

}  // namespace sundial
