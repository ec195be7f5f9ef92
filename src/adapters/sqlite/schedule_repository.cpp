#include "adapters/sqlite/schedule_repository.hpp"

#include <set>
#include <variant>

#include "adapters/sqlite/control_statements.hpp"
#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/rows.hpp"
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

}  // namespace

Result<void> SqliteScheduleRepository::add(const Schedule& schedule) {
    if (write(connection_, sql::add_schedule, schedule) == 1) return {};
    return DuplicateExternalId{Noun::schedule, schedule.external_id.value(),
                               id_of(*schedule.external_id).value().value};
}

std::optional<Schedule> SqliteScheduleRepository::find(ScheduleId id) {
    return first_of(connection_.query(sql::schedule, id), read_schedule);
}

std::optional<ScheduleId> SqliteScheduleRepository::id_of(std::string_view external_id) {
    return sqlite::id_of<ScheduleId>(connection_.query(sql::schedule_id, external_id));
}

std::vector<Schedule> SqliteScheduleRepository::share(std::span<const ScheduleId> ids) {
    std::vector<Schedule> schedules;
    for (const ScheduleId& id : std::set<ScheduleId>{ids.begin(), ids.end()}) {
        if (auto schedule = find(id)) schedules.push_back(*std::move(schedule));
    }
    return schedules;
}

std::vector<Schedule> SqliteScheduleRepository::share_per_user() {
    return all_of(connection_.query(sql::schedules_per_user), read_schedule);
}

void SqliteScheduleRepository::update(const Schedule& schedule) {
    base::check(write(connection_, sql::update_schedule, schedule) == 1);
}

void SqliteScheduleRepository::remove(ScheduleId id) {
    base::check(connection_.execute(sql::remove_schedule, id) == 1);
}

Page<Schedule> SqliteScheduleRepository::list(const ScheduleQuery& query) {
    const IdRange ids = ids_with(query.prefix);
    const auto types = query.types.empty() ? std::nullopt : std::optional{array_of(query.types)};
    const Statement& statement =
        query.page.descending ? sql::schedules_by_creation_down : sql::schedules_by_creation;
    return page_of(all_of(connection_.query(statement, query.enabled, query.per_user,
                                            kinds_of(query), types, query.endpoint, query.prefix,
                                            ids.first, ids.last, id_after(query.page),
                                            number_after(query.page), limit_of(query.page)),
                          read_schedule),
                   query.page);
}

}  // namespace sundial::sqlite
