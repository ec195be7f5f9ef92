#include "application/ports/schedule_repository.hpp"

#include <memory>
#include <set>
#include <variant>

#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/value.hpp"
#include "base/check.hpp"

#define SUNDIAL_SCHEDULE                                                                       \
    "id, external_id, event_type, priority, enabled, note, kind, yearly_on, yearly_at, cron, " \
    "ical, dtstart, rrule, rdates, exdates, every, per_user, timezone, endpoint_id, payload, " \
    "gap, overlap, leap, misfire, misfire_window, misfire_grace, misfire_limit, concurrency, " \
    "jitter, starts_at, ends_at, version, planned_version, created_at, updated_at, tags, ping_url"

/// SQL of schedules and of their skipped occurrences. In lists a filter is off if its parameter
/// is null. Texts are compared byte by byte.
namespace sundial::sqlite::sql {

/// Inserts nothing if another row has the external id.
inline constexpr Statement add_schedule{"INSERT INTO schedules (" SUNDIAL_SCHEDULE R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
            ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35,
            ?36, ?37)
    ON CONFLICT (external_id) DO NOTHING)sql"};
/// Parameters as the columns of add_schedule.
inline constexpr Statement update_schedule{R"sql(
    UPDATE schedules
       SET external_id = ?2, event_type = ?3, priority = ?4, enabled = ?5, note = ?6, kind = ?7,
           yearly_on = ?8, yearly_at = ?9, cron = ?10, ical = ?11, dtstart = ?12, rrule = ?13,
           rdates = ?14, exdates = ?15, every = ?16, per_user = ?17, timezone = ?18,
           endpoint_id = ?19, payload = ?20, gap = ?21, overlap = ?22, leap = ?23, misfire = ?24,
           misfire_window = ?25, misfire_grace = ?26, misfire_limit = ?27, concurrency = ?28,
           jitter = ?29, starts_at = ?30, ends_at = ?31, version = ?32, planned_version = ?33,
           created_at = ?34, updated_at = ?35, tags = ?36, ping_url = ?37
     WHERE id = ?1)sql"};
inline constexpr Statement remove_schedule{"DELETE FROM schedules WHERE id = ?1"};
inline constexpr Statement schedule{"SELECT " SUNDIAL_SCHEDULE " FROM schedules WHERE id = ?1"};
inline constexpr Statement schedule_id{"SELECT id FROM schedules WHERE external_id = ?1"};
inline constexpr Statement schedules_per_user{"SELECT " SUNDIAL_SCHEDULE
                                              " FROM schedules WHERE per_user ORDER BY id"};

/// ?1 enabled, ?2 per user, ?3 kinds and ?4 types (JSON arrays), ?5 endpoint, ?6 prefix of id,
/// external id or type, ?7 and ?8 first and last id with that prefix; ?9 id and ?10 creation time
/// of the previous page's last row, ?11 limit, ?12 tag.
#define SUNDIAL_LIST_SCHEDULES(name, beyond, direction)                        \
    inline constexpr Statement name{                                           \
        "SELECT " SUNDIAL_SCHEDULE                                             \
        " FROM schedules WHERE (?1 IS NULL OR enabled = ?1)"                   \
        " AND (?2 IS NULL OR per_user = ?2)"                                   \
        " AND (?3 IS NULL OR kind IN (SELECT value FROM json_each(?3)))"       \
        " AND (?4 IS NULL OR event_type IN (SELECT value FROM json_each(?4)))" \
        " AND (?5 IS NULL OR endpoint_id = ?5)"                                \
        " AND (?6 IS NULL OR id BETWEEN ?7 AND ?8"                             \
        "      OR substr(event_type, 1, length(?6)) = ?6"                      \
        "      OR substr(coalesce(external_id, ''), 1, length(?6)) = ?6)"      \
        " AND (?12 IS NULL OR ?12 IN (SELECT value FROM json_each(tags)))"     \
        " AND (?9 IS NULL OR (created_at, id) " beyond                         \
        " (?10, ?9))"                                                          \
        " ORDER BY created_at " direction ", id " direction " LIMIT ?11"}
SUNDIAL_LIST_SCHEDULES(schedules_by_creation, ">", "ASC");
SUNDIAL_LIST_SCHEDULES(schedules_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_SCHEDULES

#define SUNDIAL_SKIPPED_RUN \
    "id, schedule_id, user_id, reason, first, last, count, next, recorded_at"

/// ?1 schedule, ?2 user, ?3 reason, ?4 first, ?5 last.
inline constexpr Statement knows_run{R"sql(
    SELECT EXISTS (SELECT 1 FROM skipped_runs
                    WHERE schedule_id = ?1 AND user_id IS ?2 AND reason = ?3
                      AND first <= ?4 AND last >= ?5))sql"};
/// ?1 schedule, ?2 user, ?3 reason, ?4 first, ?5 last, ?6 count, ?7 next, ?8 time.
inline constexpr Statement extend_run{R"sql(
    UPDATE skipped_runs SET last = ?5, count = count + ?6, next = ?7, recorded_at = ?8
     WHERE schedule_id = ?1 AND user_id IS ?2 AND reason = ?3 AND next = ?4)sql"};
inline constexpr Statement add_run{"INSERT INTO skipped_runs (" SUNDIAL_SKIPPED_RUN R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9))sql"};
inline constexpr Statement remove_runs_of_user{"DELETE FROM skipped_runs WHERE user_id = ?1"};
inline constexpr Statement remove_runs_of_schedule{
    "DELETE FROM skipped_runs WHERE schedule_id = ?1"};

/// ?1 schedule, ?2 user, ?3 and ?4 the range that a run overlaps; ?5 id and ?6 first occurrence of
/// the previous page's last row, ?7 limit.
#define SUNDIAL_LIST_RUNS(name, beyond, direction)                       \
    inline constexpr Statement name{                                     \
        "SELECT " SUNDIAL_SKIPPED_RUN                                    \
        " FROM skipped_runs WHERE (?1 IS NULL OR schedule_id = ?1)"      \
        " AND (?2 IS NULL OR user_id = ?2)"                              \
        " AND (?3 IS NULL OR last >= ?3) AND (?4 IS NULL OR first < ?4)" \
        " AND (?5 IS NULL OR (first, id) " beyond                        \
        " (?6, ?5))"                                                     \
        " ORDER BY first " direction ", id " direction " LIMIT ?7"}
SUNDIAL_LIST_RUNS(skipped_runs, ">", "ASC");
SUNDIAL_LIST_RUNS(skipped_runs_down, "<", "DESC");
#undef SUNDIAL_LIST_RUNS

}  // namespace sundial::sqlite::sql

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
        schedule.created_at, schedule.updated_at, array_of(schedule.tags), schedule.ping_url);
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

    std::vector<Schedule> find_all(std::span<const ScheduleId> ids) override {
        std::vector<Schedule> schedules;
        for (const ScheduleId& id : std::set<ScheduleId>{ids.begin(), ids.end()}) {
            if (auto schedule = find(id)) schedules.push_back(*std::move(schedule));
        }
        return schedules;
    }
    std::vector<Schedule> share(std::span<const ScheduleId> ids) override { return find_all(ids); }

    std::vector<Schedule> with_ping(std::span<const ScheduleId> ids) override {
        std::vector<Schedule> found = share(ids);
        std::erase_if(found, [](const Schedule& schedule) { return !schedule.ping_url; });
        return found;
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
                                     limit_of(query.page), query.tag),
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
