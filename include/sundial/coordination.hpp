#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

#include "sundial/engine.hpp"
#include "sundial/locks.hpp"

#pragma GCC visibility push(default)

/// Coordinates work among processes by the locks of `sundial/locks.hpp`: a semaphore, and a task
/// that runs in one process at a time. Every process must use the same database.
namespace sundial {

/// One permit of a semaphore, held until this object is destroyed. Movable, not copyable. The
/// engine must outlive it.
class Permit {
public:
    /// Made by Semaphore.
    Permit(Lock lock, std::size_t number) : lock_(std::move(lock)), number_(number) {}
    /// From 0 on. No two holders have the same number at once, so it can name a port or a file.
    [[nodiscard]] std::size_t number() const { return number_; }
    /// Greater than that of any earlier holder of this number.
    [[nodiscard]] std::uint64_t fencing_token() const { return lock_.fencing_token(); }
    /// As `Lock::lost`.
    [[nodiscard]] std::stop_token lost() const { return lock_.lost(); }

private:
    Lock lock_;
    std::size_t number_;
};

/// At most `permits` holders of one name at a time among all processes:
///
///     sundial::Semaphore gateway{*engine, "gateway", 5};
///     if (const auto permit = gateway.acquire({.wait = 10s})) call(permit->lost());
///
/// Each permit is a lock `NAME.permit-N`, with its lease and its renewal: a holder that dies gives
/// its permit back when the lease ends. Waiting is not in order of arrival. All processes should
/// give the same number of permits; with different ones, the greatest counts. Thread-safe. The
/// engine must outlive it.
class Semaphore {
public:
    /// `permits`: 1 to 1,000.
    Semaphore(Engine& engine, std::string name, std::size_t permits)
        : engine_(&engine), name_(std::move(name)), permits_(permits) {}

    /// `options.wait` is for the whole call. Errors: as of `Engine::acquire_lock`; LOCK_HELD if no
    /// permit was free in time, with the data of the last one that was tried; VALIDATION_FAILED for
    /// a wrong number of permits. Each permit that is tried costs one call of the database.
    [[nodiscard]] Result<Permit> acquire(const LockOptions& options = {}) const {
        if (permits_ < 1 || permits_ > most_permits) {
            return Error{"VALIDATION_FAILED", "permits: must be 1 to 1000",
                         InvalidFields{{"permits", "out_of_range", "must be 1 to 1000"}}};
        }
        using Clock = std::chrono::steady_clock;
        const auto begun = Clock::now();
        // Callers start at different permits, so that they seldom compete.
        const auto spread = static_cast<std::size_t>(begun.time_since_epoch().count()) / 1'000;
        const std::size_t first = spread % permits_;
        LockOptions one = options;
        for (;;) {
            one.wait = {};
            for (std::size_t i = 0; i < permits_; ++i) {
                auto permit = take((first + i) % permits_, one);
                if (permit || permit.error().code != "LOCK_HELD") return permit;
            }
            const auto left = options.wait - std::chrono::duration_cast<std::chrono::microseconds>(
                                                 Clock::now() - begun);
            one.wait = std::clamp(left, std::chrono::microseconds{0}, look_again);
            auto permit = take(first, one);
            if (permit || permit.error().code != "LOCK_HELD" || left <= look_again) return permit;
        }
    }

private:
    static constexpr std::size_t most_permits = 1'000;
    /// How long a waiting call stays at one permit.
    static constexpr std::chrono::microseconds look_again = std::chrono::milliseconds{250};

    [[nodiscard]] Result<Permit> take(std::size_t number, const LockOptions& options) const {
        auto lock = engine_->acquire_lock(name_ + ".permit-" + std::to_string(number), options);
        if (!lock) return std::move(lock).error();
        return Permit{*std::move(lock), number};
    }

    Engine* engine_;
    std::string name_;
    std::size_t permits_;
};

/// Runs `work` in one process at a time: in the leader, the one that holds the lock `name`. The
/// others wait here, and one of them takes over when the leader ends, dies or loses the lock.
///
///     const auto led = sundial::lead(*engine, "price-feed",
///         [&](std::stop_token stop, std::uint64_t term) { follow_prices(stop, term); }, stopping);
///
/// `work` gets a token that requests a stop when the lock may be lost or when `stop` does, and must
/// return soon then; and its term, the fencing token, which is greater than that of any earlier
/// leader. After a lost lock this process waits again.
///
/// Returns when `work` has returned without having been asked to, or when `stop` was requested,
/// within a second of it. Of `options`, `wait` has no effect. While the storage is unavailable it
/// tries again every second. Errors: VALIDATION_FAILED, STOPPED and others as of
/// `Engine::acquire_lock`; INTERNAL_ERROR if `work` throws. Blocks the calling thread. Not to be
/// called in a handler or a transaction.
[[nodiscard]] inline Result<Done> lead(
    Engine& engine, const std::string& name,
    const std::function<void(std::stop_token stop, std::uint64_t term)>& work,
    const std::stop_token& stop = {}, LockOptions options = {}) {
    // Maximum wait, so that a stop is noticed in time.
    constexpr std::chrono::seconds look_again{1};
    options.wait = look_again;
    std::mutex mutex;
    std::condition_variable_any never;
    while (!stop.stop_requested()) {
        const auto lock = engine.acquire_lock(name, options);
        if (!lock) {
            const std::string& code = lock.error().code;
            if (code == "STORAGE_UNAVAILABLE") {
                std::unique_lock resting(mutex);
                never.wait_for(resting, stop, look_again, [] { return false; });
            } else if (code != "LOCK_HELD") {
                return lock.error();
            }
            continue;
        }
        std::stop_source ends;
        const auto end = [&ends] { ends.request_stop(); };
        const std::stop_callback on_stop{stop, end};
        const std::stop_callback on_loss{lock->lost(), end};
        try {
            work(ends.get_token(), lock->fencing_token());
        } catch (const std::exception& error) {
            return Error{"INTERNAL_ERROR", error.what(), {}};
        } catch (...) {
            return Error{"INTERNAL_ERROR", "the work threw something unknown", {}};
        }
        if (!ends.stop_requested()) return Done{};
    }
    return Done{};
}

}  // namespace sundial

#pragma GCC visibility pop
