#include "adapters/sqlite/skip_repository.hpp"

#include "adapters/sqlite/control_statements.hpp"
#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/rows.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {
namespace {

SkippedRun read_run(Cursor& row) {
    return {.id = row.take<Uuid>(),
            .schedule = row.take<ScheduleId>(),
            .user = row.take<std::optional<UserId>>(),
            .reason = row.take<std::string>(),
            .first = row.take<Instant>(),
            .last = row.take<Instant>(),
            .count = row.take<std::uint64_t>(),
            .next = row.take<std::optional<Instant>>(),
            .recorded_at = row.take<Instant>()};
}

}  // namespace

void SqliteSkipRepository::add(const SkippedRun& run) {
    {
        auto known = connection_.query(sql::knows_run, run.schedule, run.user, run.reason,
                                       run.first, run.last);
        base::check(known.next());
        if (known.get<bool>(0)) return;
    }
    const auto extended =
        connection_.execute(sql::extend_run, run.schedule, run.user, run.reason, run.first,
                            run.last, run.count, run.next, run.recorded_at);
    if (extended > 0) return;
    connection_.execute(sql::add_run, run.id, run.schedule, run.user, run.reason, run.first,
                        run.last, run.count, run.next, run.recorded_at);
}

Page<SkippedRun> SqliteSkipRepository::list(const SkipQuery& query) {
    const Statement& statement = query.page.descending ? sql::skipped_runs_down : sql::skipped_runs;
    return page_of(all_of(connection_.query(statement, query.schedule, query.user, query.from,
                                            query.to, id_after(query.page),
                                            number_after(query.page), limit_of(query.page)),
                          read_run),
                   query.page);
}

void SqliteSkipRepository::remove_of_user(UserId user) {
    connection_.execute(sql::remove_runs_of_user, user);
}

void SqliteSkipRepository::remove_of_schedule(ScheduleId schedule) {
    connection_.execute(sql::remove_runs_of_schedule, schedule);
}

}  // namespace sundial::sqlite
