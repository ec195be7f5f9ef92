#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "application/ports/clock.hpp"
#include "cli/commands.hpp"

namespace sundial::cli {

struct LockedRun {
    std::string name;
    std::string holder;
    std::chrono::seconds ttl{30};
    std::chrono::seconds wait{0};
    std::vector<std::string> command;
};

/// Runs a command under a lock, and renews the lock at a third of its lease. The command finds its
/// fencing token in SUNDIAL_FENCING_TOKEN. When the lock must be considered lost, the command gets
/// SIGTERM, and SIGKILL before another holder can get the lock. Returns the command's exit code, or
/// 4 if another holder has the lock.
[[nodiscard]] int run_under_lock(const HttpClient& client, const LockedRun& run,
                                 const MonotonicClock& monotonic, const Output& output);

}  // namespace sundial::cli
