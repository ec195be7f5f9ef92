#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>

#include "application/ports/idempotency_repository.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"

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

struct KeyedRequest {
    IdempotencyScope scope;
    std::string text;  // everything that identifies the request
};

/// The result of the work for a request.
struct Worked {
    bool commit = false;                  // false: roll back everything
    std::optional<std::string> answer{};  // kept for repeated requests
    bool secret = false;  // the answer contains a secret: it is stored sealed, or not at all
};

struct FirstAnswer {};  // the work ran; it knows its answer
struct KeptAnswer {
    std::string answer;
};  // the work did not run
struct InProgress {
    std::chrono::seconds ask_again_in{1};
};
struct KeyReused {};   // the key belongs to another request
struct CannotSeal {};  // undone: there is no encryption key
using Answered = std::variant<FirstAnswer, KeptAnswer, InProgress, KeyReused, CannotSeal>;

struct AnswerOnceSettings {
    std::chrono::microseconds keep = std::chrono::hours{24};  // from the first answer
    /// Lease of a step; after it another attempt may continue. Twice the longest step: a test
    /// delivery, which ends within the lease of an event.
    std::chrono::microseconds lease = std::chrono::minutes{1};
};

/// Does the work of a request under an Idempotency-Key once, and gives every repetition the same
/// answer (concurrency 1, ADR 0022). Thread-safe.
class AnswerOnce {
public:
    using Work = std::function<Worked()>;
    /// One part of work with effects outside the store. Its argument is the result of the previous
    /// step; its own result is `answer`. Without `answer` or `commit` the step counts as not tried.
    /// A step runs again only then, or if the process died in it.
    using Step = std::function<Worked(const std::string& so_far)>;

    AnswerOnce(Store& store, const Digest& digest, Seal& seal, const AnswerOnceSettings& settings)
        : store_(store), digest_(digest), seal_(seal), settings_(settings) {}

    /// Runs `work` within one transaction, which includes the transactions of `work` and stores its
    /// answer: both are committed or neither. `work` may run again after a conflict. Never waits
    /// for another request. Rethrows exceptions of `work`; then nothing remains.
    [[nodiscard]] Answered run(const KeyedRequest& request, const Work& work);

    /// Runs the steps in order, outside transactions. Commits the progress after each step, so that
    /// a later attempt continues there after the lease of a dead attempt expires. The result of the
    /// last step is the answer. Rethrows exceptions of a step; that step can be repeated at once.
    [[nodiscard]] Answered run(const KeyedRequest& request, std::span<const Step> steps);

    /// Removes a batch of expired answers; returns whether there may be more. Harmless if another
    /// instance does the same. Throws Unavailable.
    [[nodiscard]] bool sweep();

private:
    class Attempt;
    [[nodiscard]] std::optional<Answered> find_answer(const std::string& fingerprint,
                                                      const std::optional<IdempotencyRecord>& found,
                                                      Instant now);

    Store& store_;
    const Digest& digest_;
    Seal& seal_;
    const AnswerOnceSettings settings_;
    BusyKeys busy_;
};

}  // namespace sundial
