#pragma once

#include <functional>
#include <vector>

namespace sundial {

/// For what a use case does beyond the database once it has committed: wake somebody, tell a
/// number. Runs `effect` at once; or, where this thread has HeldEffects, leaves it to whoever holds
/// them, since what the use case did may be a part of a transaction that is still open.
void after_commit(std::function<void()> effect);

/// Collects the effects of this thread while it lasts.
class HeldEffects {
public:
    HeldEffects();
    ~HeldEffects();
    HeldEffects(const HeldEffects&) = delete;
    HeldEffects& operator=(const HeldEffects&) = delete;

    /// All so far, in order.
    [[nodiscard]] std::vector<std::function<void()>> take();

private:
    friend void after_commit(std::function<void()> effect);
    std::vector<std::function<void()>> effects_;
    HeldEffects* const outer_;
};

}  // namespace sundial
