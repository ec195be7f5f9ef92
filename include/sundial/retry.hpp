#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "sundial/result.hpp"
#include "sundial/timing.hpp"

#pragma GCC visibility push(default)

/// Repeats an operation that failed and may succeed the next time: after a version conflict, or
/// while a database is briefly unavailable.
///
///     const auto moved = sundial::retry({.max_attempts = 5}, [&] { return transfer(from, to); });
///
/// The operation must read the data that it decides by again at each call. It runs on the caller's
/// thread, which sleeps between the calls.
namespace sundial {

/// How a delay is randomised, so that callers that failed together do not retry together.
enum class Jitter : std::uint8_t {
    full,          // from zero to the whole delay
    decorrelated,  // from `base` to three times the previous delay
    none
};

/// Limits the retries of many callers together, so that they do not overload a service that is
/// failing. A token bucket: each first call adds a fraction of a token, each retry takes one. A few
/// retries a second are always allowed. Thread-safe.
class RetryBudget {
public:
    /// In tokens; a retry takes one.
    struct Settings {
        double per_call = 0.2;           // one retry for five calls
        double floor_per_second = 10.0;  // allowed in addition, however few calls there are
        double max_tokens = 100.0;       // maximum of saved tokens: those of 500 calls
    };
    RetryBudget() : RetryBudget(Settings{}) {}
    /// Starts with the tokens of one second and no saved ones.
    explicit RetryBudget(const Settings& settings);

    /// Adds the fraction of one call.
    void first_call();
    /// Takes a retry from the budget. Returns false if none is left.
    [[nodiscard]] bool take(Timing::Moment now);
    /// Tokens added by calls and not taken by retries.
    [[nodiscard]] double tokens() const;
    /// Number of refused retries.
    [[nodiscard]] std::uint64_t refused() const;

private:
    using Millionths = std::int64_t;  // of a token: sums of fractions stay exact

    const Millionths per_call_, floor_, max_tokens_;
    mutable std::mutex mutex_;  // guards all below
    Millionths tokens_ = 0;
    Millionths floor_left_;
    std::optional<Timing::Moment> floor_filled_;
    std::uint64_t refused_ = 0;
};

/// How often a call is repeated, and after which delays. The defaults suit version conflicts.
struct RetryRules {
    unsigned max_attempts = 3;  // the first call included
    std::chrono::microseconds base =
        std::chrono::milliseconds{5};  // the first delay; each further one doubles
    std::chrono::microseconds cap = std::chrono::milliseconds{250};  // the longest delay
    Jitter jitter = Jitter::full;                                    // how delays are randomised
    /// No wait extends past the deadline: the last error is returned at once instead.
    Timing::Moment deadline = Timing::Moment::max();
    /// A stop request ends any wait within 10 ms; the result is STOPPED.
    std::stop_token stop{};
    /// Shared with other callers of the same service; may be empty.
    std::shared_ptr<RetryBudget> budget{};
};

/// Describes the first invalid rule; empty if all rules are valid.
[[nodiscard]] std::optional<std::string> defect_of(const RetryRules& rules);

/// The delay before retry number `retry` (from 0), drawn by `random` in [0, 1). `previous` is the
/// delay before it. full: in [0, min(cap, base · 2^retry)). decorrelated: in [base, min(cap, 3 ·
/// previous)), where `base` is the previous delay of the first retry.
[[nodiscard]] std::chrono::microseconds retry_delay(const RetryRules& rules, unsigned retry,
                                                    std::chrono::microseconds previous,
                                                    double random);

/// How `retry` treats an error type; specialise it for your own.
///
///     static bool passing(const Error&);             // retry, unless `retry_if` says otherwise
///     static Error after(Error, unsigned attempts);  // the last error after that many attempts
///     static Error stopped();                        // a stop was requested
///     static Error invalid(std::string why);         // the rules are invalid
template <class Error>
struct RetryErrors;

/// Retried are OPTIMISTIC_LOCK, LOCK_HELD, IDEMPOTENCY_IN_PROGRESS, RATE_LIMITED and
/// STORAGE_UNAVAILABLE; not COMMIT_OUTCOME_UNKNOWN, because the operation may have taken effect.
/// Further errors: STOPPED, VALIDATION_FAILED.
template <>
struct RetryErrors<embedding::Error> {
    /// Whether it is one of the codes above.
    static bool passing(const embedding::Error& error);
    /// The same error; a Conflict gets the number of attempts.
    static embedding::Error after(embedding::Error error, unsigned attempts);
    /// STOPPED.
    static embedding::Error stopped();
    /// VALIDATION_FAILED with that detail.
    static embedding::Error invalid(std::string why);
};

/// Which failures are retried.
template <class Error>
struct RetryWhen {
    std::function<bool(const Error&)> retry_if =
        RetryErrors<Error>::passing;  // which errors are retried
    /// The delay that the other side asks for, as in a Retry-After header. It is used if it is
    /// longer than the computed delay.
    std::function<std::optional<std::chrono::microseconds>(const Error&)> retry_after{};
    /// Which exceptions are retried; all others, and the last one, propagate to the caller.
    std::function<bool(const std::exception&)> retry_thrown{};
};

/// The retry loop without the call: for loops that `retry` does not fit.
class Retries {
public:
    /// The caller's next step: run again, return the last error, or return a stop.
    enum class Next : std::uint8_t { again, over, stopped };

    /// Both must outlive it. Counts the first call.
    Retries(const RetryRules& rules, Timing& timing);
    /// Call after a failed attempt that is worth a retry. Waits until the retry is due, or returns
    /// at once if none is allowed.
    [[nodiscard]] Next wait(std::optional<std::chrono::microseconds> retry_after = {});
    /// Calls so far, the first included.
    [[nodiscard]] unsigned attempts() const { return attempts_; }

private:
    const RetryRules& rules_;
    Timing& timing_;
    unsigned attempts_ = 1;
    std::chrono::microseconds previous_;
};

/// The error type of the Result that `Operation` returns.
template <class Operation>
using ErrorOf =
    std::remove_cvref_t<decltype(std::declval<const std::invoke_result_t<Operation&>&>().error())>;

/// Calls `operation`, which returns a Result, until it succeeds or the rules allow no more
/// attempts. Errors: the operation's last one; those of RetryErrors.
template <class Operation>
std::invoke_result_t<Operation&> retry(const RetryRules& rules, Operation&& operation,
                                       const RetryWhen<ErrorOf<Operation>>& when = {},
                                       Timing& timing = real_timing()) {
    using Answer = std::invoke_result_t<Operation&>;
    using Errors = RetryErrors<ErrorOf<Operation>>;
    if (auto defect = defect_of(rules)) return Errors::invalid(*std::move(defect));
    if (rules.stop.stop_requested()) return Errors::stopped();
    Retries retries{rules, timing};
    for (;;) {
        std::optional<Answer> answer;
        std::exception_ptr thrown;
        std::optional<std::chrono::microseconds> retry_after;
        try {
            answer.emplace(operation());
            if (*answer || !when.retry_if(answer->error())) return *std::move(answer);
            if (when.retry_after) retry_after = when.retry_after(answer->error());
        } catch (const std::exception& exception) {
            if (!when.retry_thrown || !when.retry_thrown(exception)) throw;
            thrown = std::current_exception();
        }
        switch (retries.wait(retry_after)) {
            case Retries::Next::again:
                break;
            case Retries::Next::over:
                if (answer) return Errors::after(answer->error(), retries.attempts());
                std::rethrow_exception(thrown);
            case Retries::Next::stopped:
                return Errors::stopped();
        }
    }
}

}  // namespace sundial

#pragma GCC visibility pop
