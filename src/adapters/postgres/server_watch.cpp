#include "adapters/postgres/server_watch.hpp"

#include <string>

namespace sundial::postgres {

Server ServerWatch::latest() const {
    const std::lock_guard lock{mutex_};
    return latest_;
}

void ServerWatch::meet(const Server& server) {
    {
        const std::lock_guard lock{mutex_};
        if (server.started == latest_.started) return;
        const bool first = latest_.started == 0;
        latest_ = server;
        if (first) return;
        changed_at_ = std::chrono::steady_clock::now();
    }
    log_.write(
        {.level = base::LogLevel::warn,
         .event_name = {},
         .message = "another PostgreSQL server answers, or the server was restarted (timeline " +
                    std::to_string(server.timeline) +
                    "): claims of other instances are respected for one lease",
         .correlation_id = {},
         .fields = {}});
}

std::optional<std::int64_t> ServerWatch::trusted(std::chrono::microseconds lease) const {
    const std::lock_guard lock{mutex_};
    if (latest_.started == 0) return std::nullopt;
    if (changed_at_ && std::chrono::steady_clock::now() < *changed_at_ + lease) return std::nullopt;
    return latest_.started;
}

}  // namespace sundial::postgres
