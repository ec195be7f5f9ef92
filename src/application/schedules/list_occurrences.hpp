#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "application/ports/paging.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"
#include "application/schedules/later_occurrences.hpp"

namespace sundial {

struct FutureRequest {
    std::string from, to;  // inclusive, exclusive; an instant, or now+7d. The past is left out
    PageRequest page;      // the value is the instant; the id that of the event or the schedule
};

/// One firing: a planned event, or a later occurrence of a schedule.
struct FutureOccurrence {
    Instant at;
    std::string zone;
    std::string local;  // `at` in that zone, with its offset
    std::string event_type;
    std::optional<EventId> event{};  // empty: not planned yet
    std::optional<ScheduleId> schedule{};
    std::optional<UserId> user{};
    std::optional<EndpointId> endpoint{};
    bool paused = false;  // its schedule is, so it does not fire unless that is resumed before

    [[nodiscard]] PageKey place() const {
        return {std::to_string(at.time_since_epoch().count()),
                event ? event->value : schedule.value().value};
    }
};

struct Future {
    std::string tz_release;  // by which later occurrences are computed
    std::vector<FutureOccurrence> occurrences{};
    bool has_more = false;
    /// Schedules of users that fire more than once in this time: only the next occurrence of each
    /// user is listed, because those after it would be computed for every user.
    std::vector<ScheduleId> only_next{};
    /// There are more schedules than a page reads, so later occurrences are missing.
    bool more_schedules = false;
};

/// Everything that fires between two instants, of all schedules, users and single events.
class ListOccurrences {
public:
    /// Reads at most `max_schedules` schedules for a page.
    ListOccurrences(Store& store, const TimeZones& zones,
                    std::size_t max_schedules = max_later_schedules)
        : store_(store), zones_(zones), max_schedules_(max_schedules) {}
    /// In order of the instant. Errors: ValidationFailed at ?from and ?to, too_expensive.
    [[nodiscard]] ScheduleResult<Future> run(const FutureRequest& request);

private:
    Store& store_;
    const TimeZones& zones_;
    std::size_t max_schedules_;
};

}  // namespace sundial
