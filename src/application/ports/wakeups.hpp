#pragma once

#include "domain/time/types.hpp"

namespace sundial {

/// A hint to this instance's worker: something may be claimable at `when`, the past included.
/// Losing one costs at most a tick. Thread-safe, never blocks.
class Wakeups {
public:
    virtual ~Wakeups() = default;
    virtual void due_at(Instant when) = 0;
};

}  // namespace sundial
