#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/control_plane.hpp"

namespace sundial {

/// Schedules as callers create, replace, fire, backfill and delete them.
class Schedules : public ControlPlane {
protected:
    static ScheduleFields a_job() {
        ScheduleFields requested;
        requested.event_type = "JOB";
        requested.trigger = TriggerFields{.cron = "0 * * * *"};
        requested.timezone = "UTC";
        return requested;
    }
    static ScheduleFields of_users() {
        ScheduleFields requested = a_job();
        requested.timezone.reset();
        requested.per_user = true;
        return requested;
    }
    Result<Schedule> create(const ScheduleFields& requested) {
        auto created = create_schedule.run(requested, "req-1");
        if (!created) return created.error();
        return created->schedule;
    }
    std::vector<std::string> defects_in(const ScheduleFields& requested) {
        return defects_of(create(requested));
    }
    std::vector<std::string> messages_in(const ScheduleFields& requested) {
        std::vector<std::string> messages;
        const auto created = create(requested);
        if (created) return messages;
        for (const FieldError& error : std::get<ValidationFailed>(created.error()).errors) {
            messages.push_back(error.message);
        }
        return messages;
    }
    static ScheduleFields with(const TriggerFields& trigger) {
        ScheduleFields requested = a_job();
        requested.trigger = trigger;
        return requested;
    }
    std::vector<Event> events_of(const Schedule& schedule, std::vector<EventStatus> statuses = {}) {
        EventQuery query;
        query.schedule = schedule.id;
        query.statuses = std::move(statuses);
        return queries.events(query).items;
    }
    Result<Backfill> backfill(const Schedule& schedule, const BackfillRequest& request) {
        return backfill_schedule.run(to_string(schedule.id), request, "req-1");
    }
};

}  // namespace sundial
