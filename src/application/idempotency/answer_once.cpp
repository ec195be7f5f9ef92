#include "application/idempotency/answer_once.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "application/transactions/after_commit.hpp"
#include "base/crash_point.hpp"

namespace sundial {
namespace {

constexpr std::size_t max_swept_at_once = 500;

std::chrono::seconds rounded_up(std::chrono::microseconds time) {
    return std::max(std::chrono::ceil<std::chrono::seconds>(time), std::chrono::seconds{1});
}

}  // namespace

/// The answer without doing the work; empty if the work has to be done.
std::optional<Answered> AnswerOnce::find_answer(const std::string& fingerprint,
                                                const std::optional<IdempotencyRecord>& found,
                                                Instant now) {
    if (!found) return std::nullopt;
    if (found->fingerprint != fingerprint) return KeyReused{};
    if (found->answer) {
        return KeptAnswer{found->sealed ? seal_.open(*found->answer) : *found->answer};
    }
    const Instant free_at = found->leased_until.value_or(now);
    if (free_at > now) return InProgress{rounded_up(free_at - now)};
    return std::nullopt;
}

Answered AnswerOnce::run(const KeyedRequest& request, const Work& work) {
    const BusyKeys::Claim claim(busy_, request.scope);
    if (!claim) return InProgress{};
    const std::string fingerprint = digest_.sha256(request.text);
    Answered answered;
    std::vector<std::function<void()>> effects;
    store_.transact([&](Transaction& tx) {
        answered = FirstAnswer{};
        effects.clear();
        if (!tx.idempotency().try_lock(request.scope)) {
            answered = InProgress{};
            return false;
        }
        const auto found = tx.idempotency().lock(request.scope);
        if (auto known = find_answer(fingerprint, found, tx.now())) {
            answered = *std::move(known);
            return false;
        }
        HeldEffects held;
        Worked worked = work();
        if (!worked.commit) return false;
        if (worked.answer) {
            const auto kept = worked.secret ? seal_.seal_text(*worked.answer) : worked.answer;
            if (!kept) {
                answered = CannotSeal{};
                return false;
            }
            tx.idempotency().put({.scope = request.scope,
                                  .fingerprint = fingerprint,
                                  .answer = kept,
                                  .sealed = worked.secret,
                                  .expires_at = tx.now() + settings_.keep});
        }
        effects = held.take();
        CRASH_POINT("answer once: before commit");
        return true;
    });
    CRASH_POINT("answer once: after commit");
    for (const auto& effect : effects) effect();
    return answered;
}

/// One attempt at a request in steps, from the creation of its record to the end.
class AnswerOnce::Attempt {
public:
    Attempt(AnswerOnce& once, const KeyedRequest& request)
        : once_(once), request_(request), fingerprint_(once.digest_.sha256(request.text)) {}
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;
    ~Attempt() {
        if (!open_) return;
        try {
            give_up();
        } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the lease ends it too
        }
    }

    /// Returns a known answer; otherwise reserves the key for this attempt.
    [[nodiscard]] std::optional<Answered> begin() {
        std::optional<Answered> known;
        once_.store_.transact([&](Transaction& tx) {
            known.reset();
            auto& records = tx.idempotency();
            if (!records.try_lock(request_.scope)) {
                known = InProgress{};
                return false;
            }
            const auto found = records.lock(request_.scope);
            known = once_.find_answer(fingerprint_, found, tx.now());
            if (known) return false;
            record_ = found.value_or(
                IdempotencyRecord{.scope = request_.scope, .fingerprint = fingerprint_});
            record_.attempt += found ? 1U : 0U;
            lease(tx.now());
            records.put(record_);
            return true;
        });
        open_ = !known;
        return known;
    }

    [[nodiscard]] std::uint32_t steps_done() const { return record_.steps_done; }
    [[nodiscard]] const std::string& progress() const { return record_.progress; }

    /// False if another attempt has taken over.
    [[nodiscard]] bool did(std::string progress) {
        record_.progress = std::move(progress);
        ++record_.steps_done;
        return open_ = change([&](Transaction& tx) {
                   lease(tx.now());
                   tx.idempotency().put(record_);
               });
    }
    void end(std::string answer, bool sealed) {
        record_.answer = std::move(answer);
        record_.sealed = sealed;
        record_.progress.clear();
        record_.leased_until.reset();
        (void)change([&](Transaction& tx) {
            record_.expires_at = tx.now() + once_.settings_.keep;
            tx.idempotency().put(record_);
        });
        open_ = false;
    }
    /// Completed steps stay; the rest can be tried again at once.
    void give_up() {
        open_ = false;
        (void)change([&](Transaction& tx) {
            if (record_.steps_done == 0) return tx.idempotency().remove(record_.scope);
            record_.leased_until = tx.now();
            tx.idempotency().put(record_);
        });
    }

private:
    void lease(Instant now) {
        record_.leased_until = now + once_.settings_.lease;
        record_.expires_at = *record_.leased_until + once_.settings_.keep;
    }
    template <class Change>
    [[nodiscard]] bool change(Change change) {
        bool still_holds_lease = false;
        once_.store_.transact([&](Transaction& tx) {
            // Another attempt may hold the lock briefly: it finds the lease and leaves the record
            // unchanged.
            still_holds_lease = false;
            const auto found = tx.idempotency().lock(record_.scope);
            if (!found || found->attempt != record_.attempt) return false;
            change(tx);
            return still_holds_lease = true;
        });
        return still_holds_lease;
    }

    AnswerOnce& once_;
    const KeyedRequest& request_;
    const std::string fingerprint_;
    IdempotencyRecord record_;
    bool open_ = false;
};

Answered AnswerOnce::run(const KeyedRequest& request, std::span<const Step> steps) {
    const BusyKeys::Claim claim(busy_, request.scope);
    if (!claim) return InProgress{};
    Attempt attempt(*this, request);
    if (auto known = attempt.begin()) return *std::move(known);
    for (std::size_t i = attempt.steps_done(); i < steps.size(); ++i) {
        Worked made = steps[i](attempt.progress());
        if (!made.commit || !made.answer) {
            attempt.give_up();
            return FirstAnswer{};
        }
        CRASH_POINT("answer once: after a step");
        if (i + 1 == steps.size()) {
            auto kept = made.secret ? seal_.seal_text(*made.answer) : std::move(made.answer);
            if (!kept) {
                attempt.give_up();
                return CannotSeal{};
            }
            attempt.end(*std::move(kept), made.secret);
        } else if (!attempt.did(*std::move(made.answer))) {
            return InProgress{};
        }
    }
    return FirstAnswer{};
}

bool AnswerOnce::sweep() {
    std::size_t removed = 0;
    store_.transact([&](Transaction& tx) {
        removed = tx.idempotency().remove_expired(max_swept_at_once);
        return removed > 0;
    });
    return removed == max_swept_at_once;
}

}  // namespace sundial
