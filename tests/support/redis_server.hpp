#pragma once

#include <sys/types.h>

#include <string>

namespace sundial {

/// A private Redis server: on a free local port, with a temporary folder, without persistence. It
/// ends with this object, and at the latest with the process; its folder is removed.
class RedisServer {
public:
    /// Throws std::runtime_error if Redis is missing or does not start.
    RedisServer();
    ~RedisServer();
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    [[nodiscard]] int port() const { return port_; }
    [[nodiscard]] std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
    /// Kills the server; its port then refuses connections.
    void kill();
    /// Restarts the server on the same port, empty.
    void restart();

private:
    [[nodiscard]] bool start();

    std::string folder_;
    int port_ = 0;
    pid_t process_ = 0;
};

}  // namespace sundial
