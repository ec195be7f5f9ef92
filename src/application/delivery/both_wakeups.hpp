#pragma once

#include "application/ports/event_queue.hpp"

namespace sundial {

/// Forwards each hint to both.
class BothWakeups final : public Wakeups {
public:
    BothWakeups(Wakeups& one, Wakeups& other) : one_(one), other_(other) {}
    void due_at(Instant when) override {
        one_.due_at(when);
        other_.due_at(when);
    }

private:
    Wakeups& one_;
    Wakeups& other_;
};

}  // namespace sundial
