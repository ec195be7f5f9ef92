#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/schedule_repository.hpp"

namespace sundial::memory {

class MemoryScheduleRepository final : public ScheduleRepository {
public:
    explicit MemoryScheduleRepository(State& state) : schedules_{state.schedules} {}
    Result<void> add(const Schedule& schedule) override;
    std::optional<Schedule> find(ScheduleId id) override;
    std::optional<ScheduleId> id_of(std::string_view external_id) override;
    std::optional<Schedule> lock(ScheduleId id) override;
    std::vector<Schedule> share(std::span<const ScheduleId> ids) override;
    std::vector<Schedule> share_per_user() override;
    void update(const Schedule& schedule) override;
    void remove(ScheduleId id) override;
    Page<Schedule> list(const ScheduleQuery& query) override;

private:
    Table<ScheduleId, Schedule>& schedules_;
};

}  // namespace sundial::memory
