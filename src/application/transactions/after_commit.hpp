#pragma once

#include <functional>
#include <vector>

#include "application/ports/event_queue.hpp"

namespace sundial {

/// For effects of a use case outside the database after its commit, such as a wake-up or a metric.
/// Runs `effect` at once. If this thread has HeldEffects, they collect `effect` instead, because
/// the use case may be part of a transaction that is still open.
void after_commit(std::function<void()> effect);

/// Collects the effects of this thread during its lifetime.
class HeldEffects {
public:
    HeldEffects();
    ~HeldEffects();
    HeldEffects(const HeldEffects&) = delete;
    HeldEffects& operator=(const HeldEffects&) = delete;

    /// All effects so far, in order.
    [[nodiscard]] std::vector<std::function<void()>> take();

private:
    friend void after_commit(std::function<void()> effect);
    std::vector<std::function<void()>> effects_;
    HeldEffects* const outer_;
};

/// Forwards hints once the events they refer to are committed.
class WakeupsAfterCommit final : public Wakeups {
public:
    explicit WakeupsAfterCommit(Wakeups& wakeups) : wakeups_(wakeups) {}
    void due_at(Instant when) override {
        after_commit([this, when] { wakeups_.due_at(when); });
    }

private:
    Wakeups& wakeups_;
};

}  // namespace sundial
