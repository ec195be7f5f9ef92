#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/log.hpp"

namespace sundial::postgres {

/// A server as each transaction sees it. No two have started in the same microsecond, so a standby
/// that took over, the same server started anew and a pooler's other target all tell by it.
struct Server {
    std::int64_t started =
        0;  // microseconds since 1970, by its own clock; 0: none has answered yet
    std::int64_t timeline = 0;
    std::int64_t system = 0;  // the cluster that it is of; 0 where nobody may know
};

/// Which server answers. Another one may have another clock, and may lack the last extensions of
/// leases: for the time of a lease nobody's lease is taken for over (reliability 3). Thread-safe.
class ServerWatch {
public:
    explicit ServerWatch(base::Log& log) : log_{log} {}

    [[nodiscard]] Server latest() const;
    /// From now on this one answers.
    void meet(const Server& server);
    /// When the server started by whose clock leases may be taken for over: it was the first one,
    /// or has answered for `lease`. Empty: none.
    [[nodiscard]] std::optional<std::int64_t> trusted(std::chrono::microseconds lease) const;

private:
    using Moment = std::chrono::steady_clock::time_point;

    base::Log& log_;
    mutable std::mutex mutex_;
    Server latest_;
    std::optional<Moment> changed_at_;  // empty: it is the first
};

}  // namespace sundial::postgres
