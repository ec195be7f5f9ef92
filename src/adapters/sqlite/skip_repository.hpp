#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/skip_repository.hpp"

namespace sundial::sqlite {

class SqliteSkipRepository final : public SkipRepository {
public:
    explicit SqliteSkipRepository(Session& session) : connection_{session.connection} {}
    void add(const SkippedRun& run) override;
    Page<SkippedRun> list(const SkipQuery& query) override;
    void remove_of_user(UserId user) override;
    void remove_of_schedule(ScheduleId schedule) override;

private:
    Connection& connection_;
};

}  // namespace sundial::sqlite
