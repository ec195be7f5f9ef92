#include "adapters/postgres/skip_repository.hpp"

#include "adapters/postgres/control_statements.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/rows.hpp"

namespace sundial::postgres {

void PostgresSkipRepository::add(const SkippedRun& run) {
    const auto known =
        session_.run(sql::knows_run, run.schedule, run.user, run.reason, run.first, run.last);
    if (!known.empty()) return;
    const auto extended = session_.run(sql::extend_run, run.schedule, run.user, run.reason,
                                       run.first, run.last, run.count, run.next, run.recorded_at);
    if (extended.changed() > 0) return;
    session_.run(sql::add_run, run.id, run.schedule, run.user, run.reason, run.first, run.last,
                 run.count, run.next, run.recorded_at);
}

Page<SkippedRun> PostgresSkipRepository::list(const SkipQuery& query) {
    const Statement& statement = query.page.descending ? sql::skipped_runs_down : sql::skipped_runs;
    return page_in(skipped_runs_in(session_.run(statement, query.schedule, query.user, query.from,
                                                query.to, last_id(query.page),
                                                last_instant(query.page), rows_for(query.page))),
                   query.page);
}

void PostgresSkipRepository::remove_of_user(UserId user) {
    session_.run(sql::remove_runs_of_user, user);
}

void PostgresSkipRepository::remove_of_schedule(ScheduleId schedule) {
    session_.run(sql::remove_runs_of_schedule, schedule);
}

}  // namespace sundial::postgres
