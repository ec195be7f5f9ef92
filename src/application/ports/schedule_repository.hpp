#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/occurrence.hpp"
#include "domain/schedule.hpp"

namespace sundial {

struct ScheduleQuery {
    std::optional<bool> enabled;
    std::optional<bool> per_user;
    std::vector<TriggerKind> kinds;  // any of them; empty: all. The types work the same way
    std::vector<std::string> types;
    std::optional<EndpointId> endpoint;
    std::optional<std::string> prefix;  // of id, external id, event type
    std::optional<std::string> tag{};   // exactly this one
    PageRequest page;                   // by createdAt
};

/// Schedules, inside one transaction.
class ScheduleRepository {
public:
    virtual ~ScheduleRepository() = default;
    /// Waits for transactions that share all per-user schedules, so that no user is planned without
    /// the new schedule once it exists. Errors: DuplicateExternalId.
    virtual Result<void, DuplicateExternalId> add(const Schedule& schedule) = 0;
    virtual std::optional<Schedule> find(ScheduleId id) = 0;
    /// Those that exist, each once, in any order.
    virtual std::vector<Schedule> find_all(std::span<const ScheduleId> ids) = 0;
    virtual std::optional<ScheduleId> id_of(std::string_view external_id) = 0;
    virtual std::optional<Schedule> lock(ScheduleId id) = 0;
    /// The schedules that exist. No other transaction changes them until this one ends.
    virtual std::vector<Schedule> share(std::span<const ScheduleId> ids) = 0;
    /// Those of the schedules that have a ping URL. Locks nothing.
    virtual std::vector<Schedule> with_ping(std::span<const ScheduleId> ids) = 0;
    /// All per-user schedules, paused ones included, shared as above. No other transaction adds one
    /// until this one ends.
    virtual std::vector<Schedule> share_per_user() = 0;
    /// Replaces a locked schedule. The external id does not change.
    virtual void update(const Schedule& schedule) = 0;
    /// The schedule must be locked.
    virtual void remove(ScheduleId id) = 0;
    virtual Page<Schedule> list(const ScheduleQuery& query) = 0;
};

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
