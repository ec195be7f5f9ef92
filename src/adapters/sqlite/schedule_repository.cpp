#include "application/ports/schedule_repository.hpp"

#include <memory>
#include <set>
#include <variant>

#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/schedule_sql.hpp"
#include "adapters/sqlite/session.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {
namespace {

/// One member of a trigger of that kind; null for a trigger of another kind.
template <class Kind, class Read>
auto of_kind(const Schedule& schedule, Read read) {
    const auto* trigger = std::get_if<Kind>(&schedule.trigger);
    return trigger ? std::optional{read(*trigger)} : std::nullopt;
}

std::int64_t write(Connection& connection, const Statement& statement, const Schedule& schedule) {
    const auto* rule = std::get_if<RruleTrigger>(&schedule.trigger);
    const RruleTrigger parts = rule ? *rule : RruleTrigger{};
    const auto if_any = [](const std::string& text) {
        return text.empty() ? std::nullopt : std::optional{text};
    };
    return connection.execute(
        statement, schedule.id, schedule.external_id, schedule.event_type, schedule.priority,
        schedule.enabled, schedule.note, to_string(kind_of(schedule.trigger)),
        of_kind<YearlyTrigger>(schedule, [](const auto& yearly) { return yearly.on; }),
        of_kind<YearlyTrigger>(schedule,
                               [](const auto& yearly) { return format_time_of_day(yearly.at); }),
        of_kind<CronTrigger>(schedule, [](const auto& cron) { return cron.text; }),
        if_any(parts.ical), if_any(parts.dtstart), parts.rrule, array_of(parts.rdate),
        array_of(parts.exdate),
        of_kind<EveryTrigger>(schedule, [](const auto& every) { return every.every; }),
        schedule.per_user, schedule.timezone, schedule.endpoint, schedule.payload, schedule.gap,
        schedule.overlap, schedule.leap, schedule.misfire.policy, schedule.misfire.window,
        schedule.misfire.grace, schedule.misfire.limit, schedule.concurrency, schedule.jitter,
        schedule.starts_at, schedule.ends_at, schedule.version, schedule.planned_version,
        schedule.created_at, schedule.updated_at);
}

std::optional<std::string> kinds_of(const ScheduleQuery& query) {
    std::vector<std::string> names;
    for (const TriggerKind kind : query.kinds) names.emplace_back(to_string(kind));
    return names.empty() ? std::nullopt : std::optional{array_of(names)};
}

/// Only one connection writes, so every row that it reads is already locked and shared.
class SqliteScheduleRepository final : public ScheduleRepository {
public:
    explicit SqliteScheduleRepository(Session& session) : connection_{session.connection} {}

    Result<void, DuplicateExternalId> add(const Schedule& schedule) override {
        if (write(connection_, sql::add_schedule, schedule) == 1) return {};
        return DuplicateExternalId{Noun::schedule, schedule.external_id.value(),
                                   id_of(*schedule.external_id).value().value};
    }

    std::optional<Schedule> find(ScheduleId id) override {
        return first_of(connection_.query(sql::schedule, id), read_schedule);
    }
    std::optional<ScheduleId> id_of(std::string_view external_id) override {
        return sqlite::id_of<ScheduleId>(connection_.query(sql::schedule_id, external_id));
    }
    std::optional<Schedule> lock(ScheduleId id) override { return find(id); }

    std::vector<Schedule> share(std::span<const ScheduleId> ids) override {
        std::vector<Schedule> schedules;
        for (const ScheduleId& id : std::set<ScheduleId>{ids.begin(), ids.end()}) {
            if (auto schedule = find(id)) schedules.push_back(*std::move(schedule));
        }
        return schedules;
    }

    std::vector<Schedule> share_per_user() override {
        return all_of(connection_.query(sql::schedules_per_user), read_schedule);
    }
    void update(const Schedule& schedule) override {
        base::check(write(connection_, sql::update_schedule, schedule) == 1);
    }
    void remove(ScheduleId id) override {
        base::check(connection_.execute(sql::remove_schedule, id) == 1);
    }

    Page<Schedule> list(const ScheduleQuery& query) override {
        const IdRange ids = ids_with(query.prefix);
        const auto types =
            query.types.empty() ? std::nullopt : std::optional{array_of(query.types)};
        const Statement& statement =
            query.page.descending ? sql::schedules_by_creation_down : sql::schedules_by_creation;
        return page_of(
            all_of(connection_.query(statement, query.enabled, query.per_user, kinds_of(query),
                                     types, query.endpoint, query.prefix, ids.first, ids.last,
                                     id_after(query.page), number_after(query.page),
                                     limit_of(query.page)),
                   read_schedule),
            query.page);
    }

private:
    Connection& connection_;
};

}  // namespace

std::unique_ptr<ScheduleRepository> make_schedule_repository(Session& session) {
    return std::make_unique<SqliteScheduleRepository>(session);
}

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

class SqliteSkipRepository final : public SkipRepository {
public:
    explicit SqliteSkipRepository(Session& session) : connection_{session.connection} {}

    void add(const SkippedRun& run) override {
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

    Page<SkippedRun> list(const SkipQuery& query) override {
        const Statement& statement =
            query.page.descending ? sql::skipped_runs_down : sql::skipped_runs;
        return page_of(all_of(connection_.query(statement, query.schedule, query.user, query.from,
                                                query.to, id_after(query.page),
                                                number_after(query.page), limit_of(query.page)),
                              read_run),
                       query.page);
    }

    void remove_of_user(UserId user) override {
        connection_.execute(sql::remove_runs_of_user, user);
    }
    void remove_of_schedule(ScheduleId schedule) override {
        connection_.execute(sql::remove_runs_of_schedule, schedule);
    }

private:
    Connection& connection_;
};

}  // namespace

std::unique_ptr<SkipRepository> make_skip_repository(Session& session) {
    return std::make_unique<SqliteSkipRepository>(session);
}

}  // namespace sundial::sqlite
