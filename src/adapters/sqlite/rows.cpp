#include "adapters/sqlite/rows.hpp"

#include <map>
#include <string>
#include <utility>

#include "adapters/sqlite/event_sql.hpp"
#include "adapters/sqlite/json_text.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {
namespace {

TimeOfDay read_time_of_day(const std::string& text) {
    const auto time = parse_time_of_day(text);
    if (!time) throw Corrupt{"the database has the time of day '" + text + "'"};
    return *time;
}

std::map<std::string, Date> read_dates(const std::string& json) {
    std::map<std::string, Date> dates;
    for (auto& [name, text] : pairs_in(json)) {
        const auto date = parse_date(text);
        if (!date) throw Corrupt{"the database has the date '" + text + "'"};
        dates.emplace(std::move(name), *date);
    }
    return dates;
}

std::map<std::string, std::string> read_metadata(const std::string& json) {
    std::map<std::string, std::string> metadata;
    for (auto& [name, value] : pairs_in(json)) metadata.emplace(std::move(name), std::move(value));
    return metadata;
}

EventState state_of(EventStatus status, std::optional<Claimant> holder,
                    std::optional<Instant> finished_at, std::optional<std::string> reason) {
    switch (status) {
        case EventStatus::pending:
            return Pending{};
        case EventStatus::processing:
            return Processing{std::move(holder)};
        case EventStatus::completed:
            return Completed{finished_at.value()};
        case EventStatus::failed:
            return Failed{finished_at.value(), std::move(reason).value_or("")};
        case EventStatus::cancelled:
            break;
    }
    return Cancelled{finished_at.value(), std::move(reason).value_or("")};
}

std::optional<Occurrence> occurrence_of(std::optional<ScheduleId> schedule,
                                        std::optional<Version> version, std::optional<Date> nominal,
                                        std::chrono::microseconds nominal_time, bool second_pass,
                                        Origin origin) {
    if (!schedule) return std::nullopt;
    if (!version || !nominal) throw Corrupt{"the database has half of an occurrence"};
    return Occurrence{*schedule, *version, {*nominal, nominal_time, second_pass}, origin};
}

/// Reads the columns from `kind` to `every`.
Trigger read_trigger(Cursor& row) {
    const auto kind = row.take<TriggerKind>();
    auto yearly_on = row.take<std::optional<std::string>>();
    const auto yearly_at = row.take<std::optional<std::string>>();
    auto cron = row.take<std::optional<std::string>>();
    auto ical = row.take<std::optional<std::string>>();
    auto dtstart = row.take<std::optional<std::string>>();
    auto rrule = row.take<std::optional<std::string>>();
    auto rdates = texts_in(row.take<std::string>());
    auto exdates = texts_in(row.take<std::string>());
    const auto every = row.take<std::optional<std::chrono::seconds>>();
    if (kind == TriggerKind::yearly && yearly_on && yearly_at) {
        return YearlyTrigger{*std::move(yearly_on), read_time_of_day(*yearly_at)};
    }
    if (kind == TriggerKind::cron && cron) return CronTrigger{*std::move(cron)};
    if (kind == TriggerKind::every && every) return EveryTrigger{*every};
    if (kind == TriggerKind::rrule && (ical || dtstart)) {
        return RruleTrigger{std::move(ical).value_or(""), std::move(dtstart).value_or(""),
                            std::move(rrule), std::move(rdates), std::move(exdates)};
    }
    throw Corrupt{"the database has half of a trigger"};
}

std::optional<TraceContext> trace_in(const std::optional<std::string>& text) {
    return text ? parse_stored_trace(*text) : std::nullopt;
}

}  // namespace

// Members are read in the order of their columns: initialisers in braces are evaluated left to
// right.

Event read_event(Cursor& row) {
    const auto id = row.take<EventId>();
    const auto status = row.take<EventStatus>();
    const auto priority = row.take<Priority>();
    const auto claimable_at = row.take<Instant>();
    auto holder = row.take<std::optional<Claimant>>();
    const auto obstacle = row.take<std::optional<Obstacle>>();
    const auto finished_at = row.take<std::optional<Instant>>();
    auto reason = row.take<std::optional<std::string>>();
    const auto dismissed_at = row.take<std::optional<Instant>>();
    auto dismissal_note = row.take<std::optional<std::string>>();
    auto dismissed_by = row.take<std::optional<std::string>>();
    const auto version = row.take<Version>();
    const auto attempt = row.take<Attempt>();
    const auto retry_count = row.take<std::uint32_t>();
    const auto due = row.take<Instant>();
    const auto jitter = row.take<std::chrono::microseconds>();
    const auto first_attempt_at = row.take<std::optional<Instant>>();
    const auto created_at = row.take<Instant>();
    const auto updated_at = row.take<Instant>();
    auto key = row.take<IdempotencyKey>();
    auto type = row.take<std::string>();
    const auto user = row.take<std::optional<UserId>>();
    const auto endpoint = row.take<std::optional<EndpointId>>();
    const auto schedule = row.take<std::optional<ScheduleId>>();
    const auto schedule_version = row.take<std::optional<Version>>();
    const auto nominal = row.take<std::optional<Date>>();
    const auto nominal_time = row.take<std::chrono::microseconds>();
    const auto second_pass = row.take<bool>();
    const auto origin = row.take<Origin>();
    const auto wall = row.take<std::optional<WallTime>>();
    auto zone = row.take<std::string>();
    const auto gap = row.take<GapPolicy>();
    const auto overlap = row.take<OverlapPolicy>();
    auto tz_release = row.take<std::string>();
    const auto retry_of = row.take<std::optional<EventId>>();
    auto payload = row.take<std::string>();
    auto trace = trace_in(row.take<std::optional<std::string>>());
    return {.id = id,
            .key = std::move(key),
            .type = std::move(type),
            .priority = priority,
            .user = user,
            .endpoint = endpoint,
            .occurrence = occurrence_of(schedule, schedule_version, nominal, nominal_time,
                                        second_pass, origin),
            .intent = {.wall = wall, .zone = std::move(zone), .gap = gap, .overlap = overlap},
            .due = due,
            .jitter = jitter,
            .tz_release = std::move(tz_release),
            .payload = std::move(payload),
            .claimable_at = claimable_at,
            .obstacle = obstacle,
            .version = version,
            .attempt = attempt,
            .retry_count = retry_count,
            .retry_of = retry_of,
            .first_attempt_at = first_attempt_at,
            .dismissed_at = dismissed_at,
            .dismissal_note = std::move(dismissal_note),
            .dismissed_by = std::move(dismissed_by),
            .trace = std::move(trace),
            .created_at = created_at,
            .updated_at = updated_at,
            .state = state_of(status, std::move(holder), finished_at, std::move(reason))};
}

AttemptRecord read_attempt(Cursor& row) {
    return {.event = row.take<EventId>(),
            .number = row.take<Attempt>(),
            .outcome = row.take<AttemptOutcome>(),
            .endpoint = row.take<std::optional<EndpointId>>(),
            .started_at = row.take<std::optional<Instant>>(),
            .duration = row.take<std::chrono::microseconds>(),
            .status_code = row.take<std::optional<int>>(),
            .error_code = row.take<std::string>(),
            .error_text = row.take<std::string>(),
            .response_body = row.take<Bytes>().value,
            .instance = row.take<std::optional<Claimant>>(),
            .held = row.take<std::optional<Version>>()};
}

User read_user(Cursor& row) {
    return {.id = row.take<UserId>(),
            .external_id = row.take<std::optional<std::string>>(),
            .first_name = row.take<std::string>(),
            .last_name = row.take<std::string>(),
            .date_of_birth = row.take<Date>(),
            .timezone = row.take<std::string>(),
            .dates = read_dates(row.take<std::string>()),
            .metadata = read_metadata(row.take<std::string>()),
            .version = row.take<Version>(),
            .created_at = row.take<Instant>(),
            .updated_at = row.take<Instant>()};
}

Schedule read_schedule(Cursor& row) {
    return {.id = row.take<ScheduleId>(),
            .external_id = row.take<std::optional<std::string>>(),
            .event_type = row.take<std::string>(),
            .priority = row.take<Priority>(),
            .enabled = row.take<bool>(),
            .note = row.take<std::optional<std::string>>(),
            .trigger = read_trigger(row),
            .per_user = row.take<bool>(),
            .timezone = row.take<std::optional<std::string>>(),
            .endpoint = row.take<std::optional<EndpointId>>(),
            .payload = row.take<std::string>(),
            .gap = row.take<GapPolicy>(),
            .overlap = row.take<OverlapPolicy>(),
            .leap = row.take<LeapPolicy>(),
            .misfire = {.policy = row.take<MisfirePolicy>(),
                        .window = row.take<std::optional<std::chrono::seconds>>(),
                        .grace = row.take<std::chrono::seconds>(),
                        .limit = row.take<std::uint32_t>()},
            .concurrency = row.take<Concurrency>(),
            .jitter = row.take<std::chrono::seconds>(),
            .starts_at = row.take<std::optional<Instant>>(),
            .ends_at = row.take<std::optional<Instant>>(),
            .version = row.take<Version>(),
            .planned_version = row.take<Version>(),
            .created_at = row.take<Instant>(),
            .updated_at = row.take<Instant>(),
            .tags = texts_in(row.take<std::string>()),
            .ping_url = row.take<std::optional<std::string>>()};
}

Endpoint read_endpoint(Cursor& row) {
    Endpoint endpoint{.id = row.take<EndpointId>(),
                      .external_id = row.take<std::optional<std::string>>(),
                      .name = row.take<std::string>(),
                      .type = row.take<EndpointType>(),
                      .url = row.take<std::string>(),
                      .headers = endpoint_headers_in(row.take<std::string>()),
                      .timeout = row.take<std::chrono::seconds>(),
                      .retry_policy = {.kind = row.take<RetryPolicy::Kind>(),
                                       .custom = seconds_in(row.take<std::string>())},
                      .retry_client_errors = row.take<std::uint32_t>(),
                      .enabled = row.take<bool>(),
                      .disabled_reason = row.take<std::optional<std::string>>(),
                      .signing_keys = {},
                      .secret_hint = row.take<std::string>(),
                      .public_key = {},
                      .version = row.take<Version>(),
                      .created_at = row.take<Instant>(),
                      .updated_at = row.take<Instant>()};
    const auto per_second = row.take<std::optional<std::uint32_t>>();
    const auto burst = row.take<std::optional<std::uint32_t>>();
    if (per_second && burst) endpoint.rate_limit = RateLimit{*per_second, *burst};
    endpoint.max_in_flight = row.take<std::optional<std::uint32_t>>();
    endpoint.format = row.take<BodyFormat>();
    endpoint.public_key = row.take<std::string>();
    endpoint.signing_keys = signing_keys_in(row.take<std::string>());
    for (auto& [name, value] : pairs_in(row.take<std::string>()))
        endpoint.options.emplace(std::move(name), std::move(value));
    return endpoint;
}

Operation read_operation(Cursor& row) {
    return {.id = row.take<OperationId>(),
            .kind = row.take<OperationKind>(),
            .status = row.take<OperationStatus>(),
            .reason = row.take<std::optional<std::string>>(),
            .schedule = row.take<std::optional<ScheduleId>>(),
            .schedule_version = row.take<std::optional<Version>>(),
            .total = row.take<std::optional<std::uint64_t>>(),
            .done = row.take<std::uint64_t>(),
            .failed = row.take<std::uint64_t>(),
            .cursor = row.take<std::optional<std::string>>(),
            .held_by = row.take<std::optional<InstanceId>>(),
            .claimable_at = row.take<Instant>(),
            .version = row.take<Version>(),
            .created_at = row.take<Instant>(),
            .updated_at = row.take<Instant>(),
            .finished_at = row.take<std::optional<Instant>>(),
            .request = row.take<std::optional<std::string>>()};
}

ApiKey read_api_key(Cursor& row) {
    return {.id = row.take<ApiKeyId>(),
            .name = row.take<std::string>(),
            .role = row.take<Role>(),
            .secret_hash = row.take<Bytes>().value,
            .expires_at = row.take<std::optional<Instant>>(),
            .last_used_at = row.take<std::optional<Instant>>(),
            .version = row.take<Version>(),
            .created_at = row.take<Instant>()};
}

namespace {

struct Ending {
    Instant at;
    std::optional<std::string_view> reason;
};

Ending ending_of(const Event& event) {
    if (const auto* completed = std::get_if<Completed>(&event.state)) {
        return {completed->at, std::nullopt};
    }
    if (const auto* failed = std::get_if<Failed>(&event.state)) return {failed->at, failed->reason};
    const auto& cancelled = std::get<Cancelled>(event.state);
    return {cancelled.at, cancelled.reason};
}

}  // namespace

std::optional<Event> live_event(Connection& connection, EventId id) {
    return first_of(connection.query(sql::live_event, id), read_event);
}

void add_live(Session& session, const Event& event) {
    std::apply(
        [&](const auto&... body) {
            session.connection.execute(sql::add_event, event.id, status_of(event), event.priority,
                                       event.claimable_at, claimed_by(event), body...);
        },
        body_of(event));
    session.ledger.added(event);
}

void move_live(Session& session, const Event& before, const Event& after) {
    const auto moved = session.connection.execute(
        sql::move_event, after.id, status_of(after), after.claimable_at, claimed_by(after),
        after.version, after.attempt, after.retry_count, after.first_attempt_at, after.updated_at,
        after.obstacle);
    base::check(moved == 1);
    session.ledger.moved(before, after);
    if (is_claimed(after)) session.ledger.lease_until(after.claimable_at);
}

void finish_live(Session& session, const Event& before, const Event& after,
                 const LastAttempt& last) {
    base::check(session.connection.execute(sql::remove_event, after.id) == 1);
    const Ending ending = ending_of(after);
    std::apply(
        [&](const auto&... body) {
            session.connection.execute(sql::add_history, after.id, status_of(after), after.priority,
                                       ending.at, ending.reason, last.settled_by, last.started_at,
                                       last.duration, last.status_code, after.dismissed_at,
                                       body...);
        },
        body_of(after));
    session.ledger.moved(before, after);
}

void add_attempt(Session& session, const AttemptRecord& attempt) {
    session.connection.execute(sql::add_attempt, attempt.event, attempt.number, attempt.outcome,
                               attempt.endpoint, attempt.started_at, attempt.duration,
                               attempt.status_code, attempt.error_code, attempt.error_text,
                               Bytes{attempt.response_body}, attempt.instance, session.now,
                               attempt.held);
}

}  // namespace sundial::sqlite
