#pragma once

#include <optional>
#include <string>

#include "cli/commands.hpp"

/// Locks, one request each. Exit code 4: another holder has it, or the lease has expired.
namespace sundial::cli {

struct LockToAcquire {
    std::string name;
    std::string holder;
    std::string ttl = "PT30S";
    std::string wait = "PT0S";  // PT60S at most
};

[[nodiscard]] int acquire_lock(const HttpClient& client, const LockToAcquire& wanted,
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
[[nodiscard]] std::string acquire_body(const LockToAcquire& wanted);
[[nodiscard]] std::string renew_body(const std::string& lock_token, const std::string& ttl);
[[nodiscard]] CallOptions showing(const std::string& lock_token);

}  // namespace sundial::cli
