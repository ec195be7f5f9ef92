#pragma once

#include <mutex>
#include <set>

#include "application/ports/idempotency_repository.hpp"

namespace sundial {

/// The Idempotency-Keys of requests that this process is working on. Thread-safe.
class BusyKeys {
public:
    /// Reserves its scope during its lifetime. False if the scope was already taken.
    class Claim {
    public:
        Claim(BusyKeys& busy, const IdempotencyScope& scope) : busy_(busy), scope_(scope) {
            const std::lock_guard lock(busy_.mutex_);
            won_ = busy_.scopes_.insert(scope_).second;
        }
        ~Claim() {
            if (!won_) return;
            const std::lock_guard lock(busy_.mutex_);
            busy_.scopes_.erase(scope_);
        }
        Claim(const Claim&) = delete;
        Claim& operator=(const Claim&) = delete;
        explicit operator bool() const { return won_; }

    private:
        BusyKeys& busy_;
        const IdempotencyScope& scope_;
        bool won_ = false;
    };

    [[nodiscard]] bool busy(const IdempotencyScope& scope) {
        const std::lock_guard lock(mutex_);
        return scopes_.contains(scope);
    }

private:
    std::mutex mutex_;
    std::set<IdempotencyScope> scopes_;
};

}  // namespace sundial
