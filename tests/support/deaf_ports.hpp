#pragma once

#include "application/ports/event_queue.hpp"
#include "base/log.hpp"

/// Ports that ignore every call.
namespace sundial {

class NoWakeups final : public Wakeups {
public:
    void due_at(Instant /*when*/) override {}
};

class NoLog final : public base::Log {
public:
    void write(base::LogLine /*line*/) override {}
};

}  // namespace sundial
