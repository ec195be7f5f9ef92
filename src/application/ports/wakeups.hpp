#pragma once

#include "domain/time/types.hpp"

namespace sundial {

/// A hint to this instance's worker: an event may be claimable at `when`, which may be past. A lost
/// hint costs at most one tick. Thread-safe, never blocks.
class Wakeups {
public:
    virtual ~Wakeups() = default;
    virtual void due_at(Instant when) = 0;
};

}  // namespace sundial
