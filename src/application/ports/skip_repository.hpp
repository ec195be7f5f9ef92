#pragma once

#include <optional>

#include "application/ports/paging.hpp"
#include "domain/occurrence.hpp"

namespace sundial {

struct SkipQuery {
    std::optional<ScheduleId> schedule;
    std::optional<UserId> user;
    std::optional<Instant> from, to;  // runs that overlap [from, to)
    PageRequest page;                 // by the first occurrence of the run
};

/// Occurrences that did not fire, with the reason, inside one transaction.
class SkipRepository {
public:
    virtual ~SkipRepository() = default;
    /// Extends the run of the same schedule, user and reason that ends where `run` begins, that is,
    /// whose `next` is the first occurrence of `run`. Otherwise stores `run` as a new one. A run
    /// that is part of a stored one changes nothing.
    virtual void add(const SkippedRun& run) = 0;
    virtual Page<SkippedRun> list(const SkipQuery& query) = 0;
    virtual void remove_of_user(UserId user) = 0;
    virtual void remove_of_schedule(ScheduleId schedule) = 0;
};

}  // namespace sundial
