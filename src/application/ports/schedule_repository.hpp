#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "domain/schedule.hpp"

namespace sundial {

/// Schedules, inside one transaction.
class ScheduleRepository {
public:
    virtual ~ScheduleRepository() = default;
    virtual std::optional<Schedule> find(ScheduleId id) = 0;
    virtual std::optional<ScheduleId> id_of(std::string_view external_id) = 0;
    virtual std::optional<Schedule> lock(ScheduleId id) = 0;
    /// Those that exist, none of them changed by others until the transaction ends.
    virtual std::vector<Schedule> share(std::span<const ScheduleId> ids) = 0;
    /// Every schedule that runs for each user, paused ones included, shared as above.
    virtual std::vector<Schedule> share_per_user() = 0;
    /// Replaces a locked schedule.
    virtual void update(const Schedule& schedule) = 0;
    /// Those whose events still have to be brought up to date with an edit.
    virtual std::vector<ScheduleId> behind() = 0;
    virtual std::vector<Schedule> all() = 0;
};

}  // namespace sundial
