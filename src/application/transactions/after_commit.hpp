#pragma once

#include <functional>
#include <vector>

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

}  // namespace sundial
