#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace sundial::cli {

/// A command that runs as a process of its own, and cannot outlive this one. While one is there,
/// this process passes SIGINT, SIGTERM and SIGHUP on to it. From one thread.
class GuardedCommand {
public:
    /// Starts it with `environment` ("NAME=value") beside ours. Throws std::runtime_error.
    GuardedCommand(const std::vector<std::string>& command,
                   const std::vector<std::string>& environment);
    ~GuardedCommand();
    GuardedCommand(const GuardedCommand&) = delete;
    GuardedCommand& operator=(const GuardedCommand&) = delete;

    /// Its exit code, 128 + the signal that ended it, or 127 if it cannot be run; nothing if it is
    /// not over in time.
    [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds at_most);
    /// To it, and to what it has started if it has a process group of its own: all but a command
    /// that reads a terminal.
    void signal(int number) const;

private:
    pid_t process_ = -1;
    bool own_group_;
    int over_ = -1;     // readable once it is over
    int signals_ = -1;  // those to pass on
};

}  // namespace sundial::cli
