#pragma once

#include <sys/types.h>

#include <string>

namespace sundial {

/// A real Redis of one's own: on a free port of this machine, its folder a temporary one, keeping
/// nothing. It ends, and the folder goes, with this object, and at the latest with the process.
class RedisServer {
public:
    /// Throws std::runtime_error if it cannot be found or does not start.
    RedisServer();
    ~RedisServer();
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    [[nodiscard]] int port() const { return port_; }
    [[nodiscard]] std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
    /// Killed in the middle of things; nobody listens on the port any more.
    void kill();
    /// Again, on the same port, with nothing in it.
    void restart();

private:
    [[nodiscard]] bool start();

    std::string folder_;
    int port_ = 0;
    pid_t process_ = 0;
};

}  // namespace sundial
