#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "application/ports/clock.hpp"
#include "cli/commands.hpp"

/// Locks, one request each. Exit code 4: another holder has it, or the lease has expired.

namespace sundial::cli {

struct LockToAcquire {
    std::string name;
    std::string holder;
    std::string ttl = "PT30S";
    std::string wait = "PT0S";  // PT60S at most
};

[[nodiscard]] int acquire_lock(const HttpClient& client, const LockToAcquire& requested,
                               const Output& output);
[[nodiscard]] int renew_lock(const HttpClient& client, const std::string& name,
                             const std::string& lock_token, const std::string& ttl,
                             const Output& output);
[[nodiscard]] int release_lock(const HttpClient& client, const std::string& name,
                               const std::string& lock_token, const Output& output);
/// Held locks, one per line.
[[nodiscard]] int list_locks(const HttpClient& client, const std::optional<std::string>& prefix,
                             const Output& output);

[[nodiscard]] std::string lock_path(const std::string& name);
[[nodiscard]] std::string acquire_body(const LockToAcquire& requested);
[[nodiscard]] std::string renew_body(const std::string& lock_token, const std::string& ttl);
[[nodiscard]] CallOptions showing(const std::string& lock_token);

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
