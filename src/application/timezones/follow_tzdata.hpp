#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <stop_token>
#include <string>

#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/timezones/survey_tzdata.hpp"
#include "base/log.hpp"

namespace sundial {

struct FollowedTzdata {
    std::set<std::string> before;  // releases that the events were computed with before
    std::size_t moved = 0;         // events with a new instant
    std::size_t dropped = 0;       // events that ended: a policy skips their new local time
    /// Releases newer than the current one; their events were left alone.
    std::set<std::string> newer;
    bool complete = true;  // false: stopped early
};

/// Moves pending events to the current tz database (time-semantics 10). Each keeps its local time
/// and its identity, and gets the new instant of that time. Only zones whose clocks differ are
/// processed. Events that are claimed, were attempted or have a fixed instant stay. An event whose
/// new instant is past is late and due at once. Each batch is a transaction of its own, and each
/// event records the release that it was computed with. So a run can be interrupted, repeated, and
/// done by several instances at once. Not thread-safe.
class FollowTzdata {
public:
    FollowTzdata(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups)
        : store_(store), zones_(zones), ids_(ids), wakeups_(wakeups) {}

    /// Throws Unavailable; completed batches stay.
    FollowedTzdata run(Takeover takeover, const std::stop_token& stop = {});
    /// Only stores the clocks of a release that has none stored yet, so that a later release can be
    /// compared with it.
    void remember();

private:
    enum class Remember : bool { unknown_clocks, all_clocks };
    void remember(const std::shared_ptr<const TzData>& data, Remember what);

    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
    std::shared_ptr<const TzData> remembered_;
};

/// `tzdb.changed`, from one release or several to `release`.
[[nodiscard]] base::LogLine tzdb_changed_line(const std::set<std::string>& before,
                                              const std::string& release, std::size_t moved);

/// For an instance with an older release than others.
[[nodiscard]] base::LogLine tzdb_behind_line(const std::set<std::string>& newer,
                                             const std::string& release);

}  // namespace sundial
