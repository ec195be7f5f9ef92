#include "adapters/sqlite/schedule_repository.hpp"

#include <set>

#include "adapters/sqlite/control_statements.hpp"
#include "adapters/sqlite/rows.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {

std::optional<Schedule> SqliteScheduleRepository::find(ScheduleId id) {
    return first_of(connection_.query(sql::schedule, id), read_schedule);
}

std::optional<ScheduleId> SqliteScheduleRepository::id_of(std::string_view external_id) {
    return sqlite::id_of<ScheduleId>(connection_.query(sql::schedule_id, external_id));
}

std::vector<Schedule> SqliteScheduleRepository::share(std::span<const ScheduleId> ids) {
    std::vector<Schedule> schedules;
    for (const ScheduleId& id : std::set<ScheduleId>{ids.begin(), ids.end()}) {
        if (auto schedule = find(id)) schedules.push_back(*std::move(schedule));
    }
    return schedules;
}

// There is no other kind of schedule yet.
std::vector<Schedule> SqliteScheduleRepository::share_per_user() { return all(); }

void SqliteScheduleRepository::update(const Schedule& schedule) {
    const auto changed = connection_.execute(
        sql::update_schedule, schedule.id, schedule.external_id, schedule.event_type,
        schedule.priority, schedule.enabled, schedule.note, schedule.trigger.on,
        format_time_of_day(schedule.trigger.at), schedule.endpoint, schedule.payload, schedule.gap,
        schedule.overlap, schedule.leap, schedule.version, schedule.planned_version,
        schedule.created_at, schedule.updated_at);
    base::check(changed == 1);
}

std::vector<ScheduleId> SqliteScheduleRepository::behind() {
    return all_of(connection_.query(sql::schedules_behind),
                  [](Cursor& row) { return row.get<ScheduleId>(0); });
}

std::vector<Schedule> SqliteScheduleRepository::all() {
    return all_of(connection_.query(sql::schedules), read_schedule);
}

}  // namespace sundial::sqlite
