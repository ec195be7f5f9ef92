#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "application/idempotency/busy_keys.hpp"
#include "application/ports/digest.hpp"
#include "application/ports/seal.hpp"
#include "application/ports/store.hpp"

namespace sundial {

struct KeyedRequest {
    IdempotencyScope scope;
    std::string text;  // all that makes two requests the same one
};

/// What became of work that was done for a request.
struct Worked {
    bool commit = false;                  // false: nothing of it is to remain
    std::optional<std::string> answer{};  // to be kept for whoever asks again
    bool secret = false;                  // the answer shows one: it is kept sealed, or not at all
};

struct FirstAnswer {};  // the work ran; it knows its answer
struct KeptAnswer {
    std::string answer;
};  // nothing ran
struct InProgress {
    std::chrono::seconds ask_again_in{1};
};
struct KeyReused {};   // for another request
struct CannotSeal {};  // undone: there is no encryption key
using Answered = std::variant<FirstAnswer, KeptAnswer, InProgress, KeyReused, CannotSeal>;

struct AnswerOnceSettings {
    std::chrono::microseconds keep = std::chrono::hours{24};  // from the first answer
    /// Of a step; whoever died in one is followed after it. Twice the longest that any takes: a
    /// test delivery, which ends within the lease of an event.
    std::chrono::microseconds lease = std::chrono::minutes{1};
};

/// Does the work of a request under an Idempotency-Key once, and answers it alike however often it
/// comes (concurrency 1, ADR 0022). Thread-safe.
class AnswerOnce {
public:
    using Work = std::function<Worked()>;
    /// One part of work whose effects lie outside the store: from what the part before made to what
    /// this one makes (`answer`); without one, or without `commit`, the step shall be as if it had
    /// not been tried. Done again only then, or if the process died in it.
    using Step = std::function<Worked(const std::string& so_far)>;

    AnswerOnce(Store& store, const Digest& digest, Seal& seal, const AnswerOnceSettings& settings)
        : store_(store), digest_(digest), seal_(seal), settings_(settings) {}

    /// `work` runs within one transaction, with the transactions that it makes itself, and its
    /// answer is kept in that: either both are there or none. It may run again after a conflict.
    /// Never waits for another request. Passes on what `work` throws; then nothing remains.
    [[nodiscard]] Answered run(const KeyedRequest& request, const Work& work);

    /// Does step after step, none within a transaction. How far it has come is committed after
    /// each, so that a later attempt goes on there once the lease of the one that died is over.
    /// What the last one makes is the answer. Passes on what a step throws; that step can be done
    /// again at once.
    [[nodiscard]] Answered run(const KeyedRequest& request, std::span<const Step> steps);

    /// Removes a batch of answers that have expired; whether there may be more. Harmless where
    /// another instance does the same. Throws Unavailable.
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
