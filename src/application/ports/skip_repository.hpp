#pragma once

#include <optional>

#include "application/ports/paging.hpp"
#include "domain/occurrence.hpp"

namespace sundial {

struct SkipQuery {
    std::optional<ScheduleId> schedule;
    std::optional<UserId> user;
    std::optional<Instant> from, to;  // runs that reach into [from, to)
    PageRequest page;                 // by the first of the run
};

/// What did not fire, and why, inside one transaction.
class SkipRepository {
public:
    virtual ~SkipRepository() = default;
    /// Makes the run longer that ended where this one begins: of the same schedule, user and
    /// reason, with `next` the first of this. Else keeps it as one of its own. A run that is part
    /// of a known one changes nothing.
    virtual void add(const SkippedRun& run) = 0;
    virtual Page<SkippedRun> list(const SkipQuery& query) = 0;
    virtual void remove_of_user(UserId user) = 0;
    virtual void remove_of_schedule(ScheduleId schedule) = 0;
};

}  // namespace sundial
