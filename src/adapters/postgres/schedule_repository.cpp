#include "adapters/postgres/schedule_repository.hpp"

#include <variant>

#include "adapters/postgres/control_statements.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/rows.hpp"
#include "domain/time/policies.hpp"

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

std::vector<std::string> names_of(const std::vector<TriggerKind>& kinds) {
    std::vector<std::string> names;
    for (const TriggerKind kind : kinds) names.emplace_back(to_string(kind));
    return names;
}

}  // namespace

Answer PostgresScheduleRepository::write(const Statement& statement, const Schedule& schedule) {
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
        parts.exdate, as_interval(every), schedule.per_user, schedule.timezone, schedule.endpoint,
        schedule.payload, to_string(schedule.gap), to_string(schedule.overlap),
        to_string(schedule.leap), to_string(schedule.misfire.policy),
        as_interval(schedule.misfire.window), std::chrono::microseconds{schedule.misfire.grace},
        schedule.misfire.limit, to_string(schedule.concurrency),
        std::chrono::microseconds{schedule.jitter}, schedule.starts_at, schedule.ends_at,
        schedule.version, schedule.planned_version, schedule.created_at, schedule.updated_at);
}

Result<void> PostgresScheduleRepository::add(const Schedule& schedule) {
    if (schedule.per_user) session_.run(sql::wait_for_planning);
    if (write(sql::add_schedule, schedule).changed() == 1) return {};
    const auto holder = id_of(schedule.external_id.value());
    if (!holder) throw conflict("the schedule with that external id has just been removed");
    return DuplicateExternalId{Noun::schedule, *schedule.external_id, holder->value};
}

std::optional<Schedule> PostgresScheduleRepository::find(ScheduleId id) {
    return first_of(schedules_in(session_.run(sql::find_schedule, id)));
}

std::optional<ScheduleId> PostgresScheduleRepository::id_of(std::string_view external_id) {
    return first_of(
        column_of<ScheduleId>(session_.run(sql::schedule_of_external_id, external_id), 0));
}

std::optional<Schedule> PostgresScheduleRepository::lock(ScheduleId id) {
    return first_of(schedules_in(session_.run(sql::lock_schedule, id)));
}

std::vector<Schedule> PostgresScheduleRepository::share(std::span<const ScheduleId> ids) {
    return schedules_in(
        session_.run(sql::share_schedules, std::vector<ScheduleId>{ids.begin(), ids.end()}));
}

std::vector<Schedule> PostgresScheduleRepository::share_per_user() {
    // First, so that the next statement sees the schedules added before.
    session_.run(sql::keep_schedules);
    return schedules_in(session_.run(sql::share_schedules_per_user));
}

void PostgresScheduleRepository::update(const Schedule& schedule) {
    base::check(write(sql::update_schedule, schedule).changed() == 1);
}

void PostgresScheduleRepository::remove(ScheduleId id) {
    base::check(session_.run(sql::remove_schedule, id).changed() == 1);
}

Page<Schedule> PostgresScheduleRepository::list(const ScheduleQuery& query) {
    const Statement& statement =
        query.page.descending ? sql::schedules_by_creation_down : sql::schedules_by_creation;
    return page_in(schedules_in(session_.run(statement, query.enabled, query.per_user,
                                             if_any(names_of(query.kinds)), if_any(query.types),
                                             query.endpoint, query.prefix, last_id(query.page),
                                             last_instant(query.page), rows_for(query.page))),
                   query.page);
}

}  // namespace sundial::postgres
