#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/skip_repository.hpp"

namespace sundial::postgres {

class PostgresSkipRepository final : public SkipRepository {
public:
    explicit PostgresSkipRepository(Session& session) : session_{session} {}
    void add(const SkippedRun& run) override;
    Page<SkippedRun> list(const SkipQuery& query) override;
    void remove_of_user(UserId user) override;
    void remove_of_schedule(ScheduleId schedule) override;

private:
    Session& session_;
};

}  // namespace sundial::postgres
