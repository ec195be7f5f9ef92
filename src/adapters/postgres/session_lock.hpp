#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "adapters/postgres/connection.hpp"
#include "base/log.hpp"

namespace sundial::postgres {

/// A session's advisory lock. It lasts until it is released or the session ends, however slow its
/// holder is. Uses a connection of its own, outside of any transaction (concurrency 1).
class SessionLock {
public:
    /// Waits at most `wait`. Null if another session holds the lock for longer. Throws CannotStart
    /// behind a pooler, which would share the session with other clients; Unavailable.
    [[nodiscard]] static std::unique_ptr<SessionLock> acquire(const std::string& url,
                                                              const std::string& name,
                                                              std::chrono::milliseconds wait,
                                                              base::Log& log);
    SessionLock(const SessionLock&) = delete;
    SessionLock& operator=(const SessionLock&) = delete;
    /// Releases the lock.
    ~SessionLock();

    /// Stop is requested when the session ends.
    [[nodiscard]] std::stop_token lost() const { return lost_.get_token(); }

private:
    SessionLock(std::unique_ptr<Connection> connection, std::string name);
    /// Waits for data from the server, which comes only at the end of the session.
    void watch();

    const std::unique_ptr<Connection> connection_;
    const std::string name_;
    const int stopping_;  // an eventfd
    std::stop_source lost_;
    std::thread watching_;
};

}  // namespace sundial::postgres
