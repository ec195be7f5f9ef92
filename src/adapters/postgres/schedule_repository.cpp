#include "application/ports/schedule_repository.hpp"

#include <memory>
#include <variant>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/schedule_sql.hpp"
#include "adapters/postgres/statement.hpp"
#include "domain/time/types.hpp"

namespace sundial::postgres {
namespace {

/// One member of a trigger of that kind; null for a trigger of another kind.
template <class Kind, class Read>
auto of_kind(const Schedule& schedule, Read read) {
    const auto* trigger = std::get_if<Kind>(&schedule.trigger);
    return trigger ? std::optional{read(*trigger)} : std::nullopt;
}

std::optional<std::string> if_not_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional{text};
}

std::optional<std::chrono::microseconds> as_interval(std::optional<std::chrono::seconds> duration) {
    return duration;
}

class PostgresScheduleRepository final : public ScheduleRepository {
public:
    explicit PostgresScheduleRepository(Session& session) : session_{session} {}

    Result<void, DuplicateExternalId> add(const Schedule& schedule) override {
        if (schedule.per_user) session_.run(sql::wait_for_planning);
        if (write(sql::add_schedule, schedule).changed() == 1) return {};
        const auto holder = id_of(schedule.external_id.value());
        if (!holder) throw conflict("the schedule with that external id has just been removed");
        return DuplicateExternalId{Noun::schedule, *schedule.external_id, holder->value};
    }

    std::optional<Schedule> find(ScheduleId id) override {
        return first_of(schedules_in(session_.run(sql::find_schedule, id)));
    }
    std::vector<Schedule> find_all(std::span<const ScheduleId> ids) override {
        return schedules_in(session_.run(sql::find_schedules, ids));
    }
    std::optional<ScheduleId> id_of(std::string_view external_id) override {
        return first_of(
            column_of<ScheduleId>(session_.run(sql::schedule_of_external_id, external_id), 0));
    }
    std::optional<Schedule> lock(ScheduleId id) override {
        return first_of(schedules_in(session_.run(sql::lock_schedule, id)));
    }
    std::vector<Schedule> share(std::span<const ScheduleId> ids) override {
        return schedules_in(session_.run(sql::share_schedules, ids));
    }

    std::vector<Schedule> with_ping(std::span<const ScheduleId> ids) override {
        return schedules_in(session_.run(sql::schedules_with_ping, ids));
    }

    std::vector<Schedule> share_per_user() override {
        // First, so that the next statement sees the schedules added before.
        session_.run(sql::keep_schedules);
        return schedules_in(session_.run(sql::share_schedules_per_user));
    }

    void update(const Schedule& schedule) override {
        base::check(write(sql::update_schedule, schedule).changed() == 1);
    }
    void remove(ScheduleId id) override {
        base::check(session_.run(sql::remove_schedule, id).changed() == 1);
    }

    Page<Schedule> list(const ScheduleQuery& query) override {
        const Statement& statement =
            query.page.descending ? sql::schedules_by_creation_down : sql::schedules_by_creation;
        return page_in(
            schedules_in(session_.run(statement, query.enabled, query.per_user,
                                      if_any(name_column(query.kinds)), if_any(query.types),
                                      query.endpoint, query.prefix, last_id(query.page),
                                      last_instant(query.page), rows_for(query.page), query.tag)),
            query.page);
    }

private:
    Answer write(const Statement& statement, const Schedule& schedule) {
        const auto* rule = std::get_if<RruleTrigger>(&schedule.trigger);
        const RruleTrigger parts = rule ? *rule : RruleTrigger{};
        const auto every =
            of_kind<EveryTrigger>(schedule, [](const auto& trigger) { return trigger.every; });
        return session_.run(
            statement, schedule.id, schedule.external_id, schedule.event_type,
            static_cast<std::int16_t>(schedule.priority), schedule.enabled, schedule.note,
            to_string(kind_of(schedule.trigger)),
            of_kind<YearlyTrigger>(schedule, [](const auto& yearly) { return yearly.on; }),
            of_kind<YearlyTrigger>(schedule, [](const auto& yearly) { return yearly.at; }),
            of_kind<CronTrigger>(schedule, [](const auto& cron) { return cron.text; }),
            if_not_empty(parts.ical), if_not_empty(parts.dtstart), parts.rrule, parts.rdate,
            parts.exdate, as_interval(every), schedule.per_user, schedule.timezone,
            schedule.endpoint, schedule.payload, to_string(schedule.gap),
            to_string(schedule.overlap), to_string(schedule.leap),
            to_string(schedule.misfire.policy), as_interval(schedule.misfire.window),
            std::chrono::microseconds{schedule.misfire.grace}, schedule.misfire.limit,
            to_string(schedule.concurrency), std::chrono::microseconds{schedule.jitter},
            schedule.starts_at, schedule.ends_at, schedule.version, schedule.planned_version,
            schedule.created_at, schedule.updated_at, schedule.tags, schedule.ping_url);
    }

    Session& session_;
};

}  // namespace

std::unique_ptr<ScheduleRepository> make_schedule_repository(Session& session) {
    return std::make_unique<PostgresScheduleRepository>(session);
}

namespace {

class PostgresSkipRepository final : public SkipRepository {
public:
    explicit PostgresSkipRepository(Session& session) : session_{session} {}

    void add(const SkippedRun& run) override {
        const auto known =
            session_.run(sql::knows_run, run.schedule, run.user, run.reason, run.first, run.last);
        if (!known.empty()) return;
        const auto extended =
            session_.run(sql::extend_run, run.schedule, run.user, run.reason, run.first, run.last,
                         run.count, run.next, run.recorded_at);
        if (extended.changed() > 0) return;
        session_.run(sql::add_run, run.id, run.schedule, run.user, run.reason, run.first, run.last,
                     run.count, run.next, run.recorded_at);
    }

    Page<SkippedRun> list(const SkipQuery& query) override {
        const Statement& statement =
            query.page.descending ? sql::skipped_runs_down : sql::skipped_runs;
        return page_in(skipped_runs_in(session_.run(
                           statement, query.schedule, query.user, query.from, query.to,
                           last_id(query.page), last_instant(query.page), rows_for(query.page))),
                       query.page);
    }

    void remove_of_user(UserId user) override { session_.run(sql::remove_runs_of_user, user); }
    void remove_of_schedule(ScheduleId schedule) override {
        session_.run(sql::remove_runs_of_schedule, schedule);
    }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<SkipRepository> make_skip_repository(Session& session) {
    return std::make_unique<PostgresSkipRepository>(session);
}

}  // namespace sundial::postgres
