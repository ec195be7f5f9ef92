#pragma once

#include "application/ports/wakeups.hpp"
#include "application/transactions/after_commit.hpp"

namespace sundial {

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
