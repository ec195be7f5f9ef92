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

/// Calling again what failed and may succeed the next time: a version conflict, a database that is
/// away for a moment.
///
///     const auto moved = sundial::retry({.max_attempts = 5}, [&] { return transfer(from, to); });
///
/// The operation reads anew what it decides by, each time. It runs on the caller's thread, which
/// waits between the calls.
namespace sundial {

/// How a wait is drawn, so that those who failed together do not come back together.
enum class Jitter : std::uint8_t {
    full,          // anything from nothing to the whole delay
    decorrelated,  // anything from `base` to three times the wait before
    none
};

/// A limit on the retries of many callers together, so that they do not finish off what is down: a
/// bucket of tokens. Each first call adds a part of one, each retry takes one; a few a second are
/// always allowed. Thread-safe.
class RetryBudget {
public:
    struct Settings {
        double per_call = 0.2;           // one retry for five calls
        double floor_per_second = 10.0;  // besides, however few calls there are
        double most = 100.0;             // tokens kept from better days: those of 500 calls
    };
    RetryBudget() : RetryBudget(Settings{}) {}
    explicit RetryBudget(const Settings& settings);

    void first_call();
    /// Whether there may be a retry now, which is then taken from it.
    [[nodiscard]] bool take(Timing::Moment now);
    /// Tokens that calls have brought and no retry has taken.
    [[nodiscard]] double tokens() const;
    /// How many retries it has refused.
    [[nodiscard]] std::uint64_t refused() const;

private:
    using Millionths = std::int64_t;  // of a token: sums of fractions stay exact

    const Millionths per_call_, floor_, most_;
    mutable std::mutex mutex_;  // all below
    Millionths tokens_ = 0;
    Millionths floor_left_;
    std::optional<Timing::Moment> floor_filled_;
    std::uint64_t refused_ = 0;
};

/// How often, and after which waits, a call is made again. As it stands: what suits version
/// conflicts.
struct RetryRules {
    unsigned max_attempts = 3;  // the first call included
    std::chrono::microseconds base =
        std::chrono::milliseconds{5};  // the first delay, which doubles
    std::chrono::microseconds cap = std::chrono::milliseconds{250};  // the longest
    Jitter jitter = Jitter::full;
    /// No wait ends later: the last error is answered at once instead.
    Timing::Moment deadline = Timing::Moment::max();
    /// A request ends any wait within 10 ms; the answer is STOPPED.
    std::stop_token stop{};
    /// Shared with others who call the same thing; may be empty.
    std::shared_ptr<RetryBudget> budget{};
};

/// What is wrong with the rules, for people; empty if nothing is.
[[nodiscard]] std::optional<std::string> defect_of(const RetryRules& rules);

/// The wait before retry number `retry` (from 0), drawn by `random` in [0, 1); `previous` is the
/// one before it. full: in [0, min(cap, base · 2^retry)); decorrelated: in [base, min(cap, 3 ·
/// previous)), and `base` counts as the one before the first.
[[nodiscard]] std::chrono::microseconds retry_delay(const RetryRules& rules, unsigned retry,
                                                    std::chrono::microseconds previous,
                                                    double random);

/// What `retry` must know of a type of errors; specialise it for your own.
///
///     static bool passing(const Error&);             // worth another call, unless told otherwise
///     static Error after(Error, unsigned attempts);  // the last error of so many calls
///     static Error stopped();                        // a stop was requested
///     static Error invalid(std::string why);         // these are no rules
template <class Error>
struct RetryErrors;

/// Passing are OPTIMISTIC_LOCK, LOCK_HELD, IDEMPOTENCY_IN_PROGRESS, RATE_LIMITED and
/// STORAGE_UNAVAILABLE; not COMMIT_OUTCOME_UNKNOWN, for it may have happened. Others: STOPPED,
/// VALIDATION_FAILED.
template <>
struct RetryErrors<embedding::Error> {
    static bool passing(const embedding::Error& error);
    static embedding::Error after(embedding::Error error, unsigned attempts);
    static embedding::Error stopped();
    static embedding::Error invalid(std::string why);
};

/// Which failures are worth another call.
template <class Error>
struct RetryWhen {
    std::function<bool(const Error&)> retry_if = RetryErrors<Error>::passing;
    /// The other side's own wish, as of a Retry-After header: waited for, if it is longer than the
    /// delay.
    std::function<std::optional<std::chrono::microseconds>(const Error&)> retry_after{};
    /// Exceptions that are failures like others; all the rest, and the last one, go to the caller.
    std::function<bool(const std::exception&)> retry_thrown{};
};

/// The retries of one call, without the call: for loops of a shape that `retry` has not.
class Retries {
public:
    enum class Next : std::uint8_t { again, over, stopped };

    Retries(const RetryRules& rules, Timing& timing);
    /// The latest call has failed and is worth another one: waits until it is time for that, or
    /// says at once that there is none.
    [[nodiscard]] Next wait(std::optional<std::chrono::microseconds> retry_after = {});
    [[nodiscard]] unsigned attempts() const { return attempts_; }

private:
    const RetryRules& rules_;
    Timing& timing_;
    unsigned attempts_ = 1;
    std::chrono::microseconds previous_;
};

template <class Operation>
using ErrorOf =
    std::remove_cvref_t<decltype(std::declval<const std::invoke_result_t<Operation&>&>().error())>;

/// What `operation` answers, a Result, after as many calls as the rules allow and it takes. Errors:
/// its own, the last one; those of RetryErrors.
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
