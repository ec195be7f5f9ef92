#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/schedule_repository.hpp"

namespace sundial::sqlite {

/// Only one connection writes, so every row that it reads is already locked and shared.
class SqliteScheduleRepository final : public ScheduleRepository {
public:
    explicit SqliteScheduleRepository(Session& session) : connection_{session.connection} {}
    Result<void> add(const Schedule& schedule) override;
    std::optional<Schedule> find(ScheduleId id) override;
    std::optional<ScheduleId> id_of(std::string_view external_id) override;
    std::optional<Schedule> lock(ScheduleId id) override { return find(id); }
    std::vector<Schedule> share(std::span<const ScheduleId> ids) override;
    std::vector<Schedule> share_per_user() override;
    void update(const Schedule& schedule) override;
    void remove(ScheduleId id) override;
    Page<Schedule> list(const ScheduleQuery& query) override;

private:
    Connection& connection_;
};

}  // namespace sundial::sqlite
