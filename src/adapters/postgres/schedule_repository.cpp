#include "adapters/postgres/schedule_repository.hpp"

#include "adapters/postgres/control_statements.hpp"
#include "adapters/postgres/rows.hpp"
#include "domain/time/policies.hpp"

namespace sundial::postgres {

std::optional<Schedule> PostgresScheduleRepository::find(ScheduleId id) {
    return first_of(schedules_in(session_.run(sql::find_schedule, id)));
}

std::optional<ScheduleId> PostgresScheduleRepository::id_of(std::string_view external_id) {
    return first_of(
        column_of<ScheduleId>(session_.run(sql::schedule_of_external_id, external_id), 0));
}

std::optional<Schedule> PostgresScheduleRepository::lock(ScheduleId id) {
    return first_of(schedules_in(session_.run(sql::lock_schedule, id)));
}

std::vector<Schedule> PostgresScheduleRepository::share(std::span<const ScheduleId> ids) {
    return schedules_in(
        session_.run(sql::share_schedules, std::vector<ScheduleId>{ids.begin(), ids.end()}));
}

std::vector<Schedule> PostgresScheduleRepository::share_per_user() {
    return schedules_in(session_.run(sql::share_schedules_per_user));
}

void PostgresScheduleRepository::update(const Schedule& schedule) {
    const auto updated = session_.run(
        sql::update_schedule, schedule.id, schedule.external_id, schedule.event_type,
        static_cast<std::int16_t>(schedule.priority), schedule.enabled, schedule.note,
        schedule.trigger.on, schedule.trigger.at, schedule.endpoint, schedule.payload,
        to_string(schedule.gap), to_string(schedule.overlap), to_string(schedule.leap),
        schedule.version, schedule.planned_version, schedule.created_at, schedule.updated_at);
    base::check(updated.changed() == 1);
}

std::vector<ScheduleId> PostgresScheduleRepository::behind() {
    return column_of<ScheduleId>(session_.run(sql::schedules_behind), 0);
}

std::vector<Schedule> PostgresScheduleRepository::all() {
    return schedules_in(session_.run(sql::all_schedules));
}

}  // namespace sundial::postgres
