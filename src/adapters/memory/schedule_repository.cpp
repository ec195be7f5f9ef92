#include "adapters/memory/schedule_repository.hpp"

#include "adapters/memory/external_ids.hpp"
#include "adapters/memory/paging.hpp"

namespace sundial::memory {

Result<void> MemoryScheduleRepository::add(const Schedule& schedule) {
    auto free = external_id_is_free(schedules_, schedule, Noun::schedule);
    if (free) schedules_.insert(schedule.id, schedule);
    return free;
}

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

std::vector<Schedule> MemoryScheduleRepository::share_per_user() {
    std::vector<Schedule> schedules;
    for (const auto& [id, schedule] : schedules_.rows()) {
        if (schedule.per_user) schedules.push_back(schedule);
    }
    return schedules;
}

void MemoryScheduleRepository::update(const Schedule& schedule) {
    schedules_.replace(schedule.id, schedule);
}

void MemoryScheduleRepository::remove(ScheduleId id) { schedules_.erase(id); }

Page<Schedule> MemoryScheduleRepository::list(const ScheduleQuery& query) {
    std::vector<Schedule> schedules;
    for (const auto& [id, schedule] : schedules_.rows()) {
        if (is(query.enabled, schedule.enabled) && is(query.per_user, schedule.per_user) &&
            any_of(query.kinds, kind_of(schedule.trigger)) &&
            any_of(query.types, schedule.event_type) && is(query.endpoint, schedule.endpoint) &&
            any_starts(query.prefix,
                       {to_string(id), schedule.event_type, schedule.external_id.value_or("")})) {
            schedules.push_back(schedule);
        }
    }
    return page_of<std::int64_t>(std::move(schedules), query.page, [](const Schedule& schedule) {
        return microseconds_of(schedule.created_at);
    });
}

}  // namespace sundial::memory
