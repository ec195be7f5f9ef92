#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <stop_token>
#include <string>

#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/ports/wakeups.hpp"
#include "application/timezones/stale_clocks.hpp"
#include "base/log.hpp"

namespace sundial {

struct FollowedTzdata {
    std::set<std::string> before;  // releases by which the events had been computed
    std::size_t moved = 0;         // events that have another instant now
    std::size_t dropped = 0;       // that ended: a policy skips their local time now
    std::set<std::string> newer;   // than the one in force: their events were left alone
    bool complete = true;          // false: it was asked to stop
};

/// Brings pending events to the tz database in force (time-semantics 10): each keeps its local time
/// and its identity, and gets the instant that this is now. Only zones whose clocks differ are gone
/// through. What is claimed, was tried, or was given as an instant stays. An instant that is past
/// by then is late, and due at once. Each batch is a transaction of its own, and each event says by
/// which release it was computed: so this can be cut short, repeated, and done by several instances
/// at once. Not thread-safe.
class FollowTzdata {
public:
    FollowTzdata(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups)
        : store_(store), zones_(zones), ids_(ids), wakeups_(wakeups) {}

    /// Throws Unavailable; what was done until then stays done.
    FollowedTzdata run(Takeover takeover, const std::stop_token& stop = {});
    /// Only remembers the clocks of a release that nobody has remembered yet, so that a later one
    /// can be compared with it.
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

/// For an instance that was left behind.
[[nodiscard]] base::LogLine tzdb_behind_line(const std::set<std::string>& newer,
                                             const std::string& release);

}  // namespace sundial
