#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/log.hpp"

namespace sundial::postgres {

/// A server as each transaction sees it. No two servers have started in the same microsecond, so
/// the start time identifies a promoted standby, a restarted server, and a pooler's other target.
struct Server {
    std::int64_t started =
        // microseconds since 1970, by its own clock; 0: none has answered yet
        0;
    std::int64_t timeline = 0;
    std::int64_t system = 0;  // identifier of its cluster; 0 if we may not read it
};

/// Tracks which server answers. Another server may have another clock and may lack the last lease
/// extensions, so for the length of a lease no lease counts as expired (reliability 3).
/// Thread-safe.
class ServerWatch {
public:
    explicit ServerWatch(base::Log& log) : log_{log} {}

    [[nodiscard]] Server latest() const;
    /// Records that this server answers from now on.
    void meet(const Server& server);
    /// Start time of the server whose clock may declare leases expired: it was the first server, or
    /// has answered for `lease`. Empty: none.
    [[nodiscard]] std::optional<std::int64_t> trusted(std::chrono::microseconds lease) const;

private:
    using Moment = std::chrono::steady_clock::time_point;

    base::Log& log_;
    mutable std::mutex mutex_;
    Server latest_;
    std::optional<Moment> changed_at_;  // empty: it is the first server
};

}  // namespace sundial::postgres
