#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "adapters/zones/cctz_time_zones.hpp"
#include "application/timezones/follow_tzdata.hpp"
#include "base/log.hpp"

namespace sundial::server {

/// Watches the directory of the tz database on a thread of its own. If it contains another release,
/// replaces the current one and updates the pending events. If the new files are damaged or half
/// copied, logs that and checks again later; the current database stays until then.
class TzWatch {
public:
    /// Intervals between checks.
    struct Pace {
        std::chrono::milliseconds between_checks = std::chrono::minutes{10};
        /// Time in which an unfinished copy changes the files again.
        std::chrono::milliseconds until_settled = std::chrono::seconds{10};
        /// Time after which every event computed with the old database during the replacement is
        /// stored, so that a second pass updates it too.
        std::chrono::milliseconds after_replacement = std::chrono::minutes{1};
        std::chrono::milliseconds after_failure = std::chrono::minutes{1};
    };
    struct Options {
        bool watch = true;       // check regularly, not only after check_now()
        bool reschedule = true;  // otherwise pending events stay; `impact` lists them
        std::function<void(const std::string& release)> replaced;  // called after each replacement
        Pace pace{};
    };
    /// The arguments must outlive this object; only this object may use `follow` from now on.
    TzWatch(zones::CctzTimeZones& zones, FollowTzdata& follow, base::Log& log, Options options);
    ~TzWatch();
    TzWatch(const TzWatch&) = delete;
    TzWatch& operator=(const TzWatch&) = delete;

    /// Checks now, because the operator reports that the files are complete. From any thread.
    void check_now();

private:
    void run(const std::stop_token& stop);
    /// Returns the time until the next check. `requested`: the operator reports that all files are
    /// written.
    std::chrono::milliseconds turn(bool requested, const std::stop_token& stop);
    enum class CheckResult : std::uint8_t { nothing_new, unsettled, replaced };
    CheckResult replace_if_new(bool requested);
    void follow(const std::stop_token& stop);

    zones::CctzTimeZones& zones_;
    FollowTzdata& follow_;
    base::Log& log_;
    const Options options_;
    std::shared_ptr<const TzData> candidate_;  // found, but possibly still being written
    std::set<std::string> replaced_;           // replaced releases that still have events to update
    std::set<std::string> newer_;              // releases of other instances, newer than ours

    std::mutex mutex_;
    std::condition_variable_any requested_condition_;
    bool requested_ = false;
    std::jthread thread_;  // last, because it uses all members above
};

}  // namespace sundial::server
