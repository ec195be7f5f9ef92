#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/schedule.hpp"

namespace sundial {

struct ScheduleQuery {
    std::optional<bool> enabled;
    std::optional<bool> per_user;
    std::vector<TriggerKind> kinds;  // any of them; empty: all. The same for the types
    std::vector<std::string> types;
    std::optional<EndpointId> endpoint;
    std::optional<std::string> prefix;  // of id, external id, event type
    PageRequest page;                   // by createdAt
};

/// Schedules, inside one transaction.
class ScheduleRepository {
public:
    virtual ~ScheduleRepository() = default;
    /// Waits for whoever shares all that run for each user, so that no user is planned without this
    /// one once it is there. Errors: DuplicateExternalId.
    virtual Result<void> add(const Schedule& schedule) = 0;
    virtual std::optional<Schedule> find(ScheduleId id) = 0;
    virtual std::optional<ScheduleId> id_of(std::string_view external_id) = 0;
    virtual std::optional<Schedule> lock(ScheduleId id) = 0;
    /// Those that exist, none of them changed by others until the transaction ends.
    virtual std::vector<Schedule> share(std::span<const ScheduleId> ids) = 0;
    /// Every schedule that runs for each user, paused ones included, shared as above; nor is one
    /// added meanwhile.
    virtual std::vector<Schedule> share_per_user() = 0;
    /// Replaces a locked schedule, whose external id stays.
    virtual void update(const Schedule& schedule) = 0;
    /// A locked one.
    virtual void remove(ScheduleId id) = 0;
    virtual Page<Schedule> list(const ScheduleQuery& query) = 0;
};

}  // namespace sundial
