#include "adapters/memory/schedule_repository.hpp"

#include "adapters/memory/external_ids.hpp"

namespace sundial::memory {

std::optional<Schedule> MemoryScheduleRepository::find(ScheduleId id) {
    const Schedule* schedule = schedules_.find(id);
    return schedule ? std::optional{*schedule} : std::nullopt;
}

std::optional<ScheduleId> MemoryScheduleRepository::id_of(std::string_view external_id) {
    return memory::id_of(schedules_, external_id);
}

std::optional<Schedule> MemoryScheduleRepository::lock(ScheduleId id) { return find(id); }

std::vector<Schedule> MemoryScheduleRepository::share(std::span<const ScheduleId> ids) {
    return those_of(schedules_, ids);
}

// There is no other kind of schedule yet.
std::vector<Schedule> MemoryScheduleRepository::share_per_user() { return all(); }

void MemoryScheduleRepository::update(const Schedule& schedule) {
    schedules_.replace(schedule.id, schedule);
}

std::vector<ScheduleId> MemoryScheduleRepository::behind() {
    std::vector<ScheduleId> ids;
    for (const auto& [id, schedule] : schedules_.rows()) {
        if (schedule.planned_version < schedule.version) ids.push_back(id);
    }
    return ids;
}

std::vector<Schedule> MemoryScheduleRepository::all() {
    std::vector<Schedule> schedules;
    for (const auto& [id, schedule] : schedules_.rows()) schedules.push_back(schedule);
    return schedules;
}

}  // namespace sundial::memory
