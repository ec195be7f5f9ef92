#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "application/locks/locks.hpp"
#include "sundial/cache.hpp"

namespace sundial {

/// Locks as leases with which one process loads for all (once_across_processes). An unavailable
/// lock store grants nothing, and a lease that cannot be released expires by itself. Thread-safe.
class LockLeases final : public LoadLeases {
public:
    /// `holder` names this process, for people.
    LockLeases(Locks& locks, std::string holder) : locks_{locks}, holder_{std::move(holder)} {}

    std::optional<std::string> try_acquire(const std::string& name,
                                           std::chrono::microseconds ttl) override;
    void release(const std::string& name, const std::string& token) override;

private:
    Locks& locks_;
    const std::string holder_;
};

}  // namespace sundial
