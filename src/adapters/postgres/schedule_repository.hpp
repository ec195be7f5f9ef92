#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/schedule_repository.hpp"

namespace sundial::postgres {

class PostgresScheduleRepository final : public ScheduleRepository {
public:
    explicit PostgresScheduleRepository(Session& session) : session_{session} {}
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
    Answer write(const Statement& statement, const Schedule& schedule);

    Session& session_;
};

}  // namespace sundial::postgres
