#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace sundial::cli {

/// A command that runs as its own process and cannot outlive this one. While it runs, this process
/// passes SIGINT, SIGTERM and SIGHUP on to it. Use from one thread.
class GuardedCommand {
public:
    /// Starts it with `environment` ("NAME=value") added to this process's. Throws
    /// std::runtime_error.
    GuardedCommand(const std::vector<std::string>& command,
                   const std::vector<std::string>& environment);
    ~GuardedCommand();
    GuardedCommand(const GuardedCommand&) = delete;
    GuardedCommand& operator=(const GuardedCommand&) = delete;

    /// Its exit code, 128 + the signal that ended it, or 127 if it cannot be run; nothing if it has
    /// not ended in time.
    [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds at_most);
    /// Signals the command. Unless the command reads a terminal, it has its own process group, and
    /// the processes that it started get the signal too.
    void signal(int number) const;

private:
    pid_t process_ = -1;
    bool own_group_;
    int over_ = -1;     // readable once the command has ended
    int signals_ = -1;  // signals to pass on
};

}  // namespace sundial::cli
