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

/// Looks after the tz database while the process runs, on a thread of its own: puts another one in
/// force when its directory holds one, and brings pending events to it. What is damaged or half
/// copied is told and looked at again; the one in force stays until then.
class TzWatch {
public:
    /// How long it waits for what.
    struct Pace {
        std::chrono::milliseconds between_looks = std::chrono::minutes{10};
        /// A copy that goes on changes what it has written by then.
        std::chrono::milliseconds until_settled = std::chrono::seconds{10};
        /// What was computed with the old database at the moment of a replacement is stored by
        /// then, and follows too.
        std::chrono::milliseconds after_replacement = std::chrono::minutes{1};
        std::chrono::milliseconds after_failure = std::chrono::minutes{1};
    };
    struct Options {
        bool watch = true;       // look by itself, not only when told to
        bool reschedule = true;  // else pending events stay, and `impact` tells
        std::function<void(const std::string& release)> replaced;  // called after each replacement
        Pace pace{};
    };
    /// What is given outlives this; `follow` is nobody else's from now on.
    TzWatch(zones::CctzTimeZones& zones, FollowTzdata& follow, base::Log& log, Options options);
    ~TzWatch();
    TzWatch(const TzWatch&) = delete;
    TzWatch& operator=(const TzWatch&) = delete;

    /// Looks now: somebody says that the database is ready. From any thread.
    void look();

private:
    void run(const std::stop_token& stop);
    /// Answers when to look again. `told` says that nobody is writing there any more.
    std::chrono::milliseconds turn(bool told, const std::stop_token& stop);
    enum class Look : std::uint8_t { nothing_new, unsettled, replaced };
    Look replace_if_new(bool told);
    void follow(const std::stop_token& stop);

    zones::CctzTimeZones& zones_;
    FollowTzdata& follow_;
    base::Log& log_;
    const Options options_;
    std::shared_ptr<const TzData> candidate_;  // seen, and perhaps still being written
    std::set<std::string> replaced_;           // releases whose events have not all followed yet
    std::set<std::string> newer_;              // releases of others, newer than ours

    std::mutex mutex_;
    std::condition_variable_any told_condition_;
    bool told_ = false;
    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace sundial::server
