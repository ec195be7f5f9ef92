#include "embedded/answers.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "application/requests/refusal.hpp"
#include "base/text.hpp"
#include "domain/time/text.hpp"
#include "domain/trace_context.hpp"

namespace sundial::embedding {
namespace {

std::string trace_of(const sundial::Event& event) {
    if (event.attempt.value > 0) return traceparent(attempt_context(event, 1));
    return event.trace ? traceparent(*event.trace) : "";
}

std::string reason_of(const sundial::Event& event) {
    if (const auto* failed = std::get_if<Failed>(&event.state)) return failed->reason;
    if (const auto* cancelled = std::get_if<Cancelled>(&event.state)) return cancelled->reason;
    return {};
}

Conflict conflict_of(const StreamOptimisticLock& lock) {
    Conflict conflict{.stream_type = lock.stream.aggregate_type,
                      .stream_id = lock.stream.aggregate_id,
                      .expected = lock.expected.number(),
                      .actual = lock.actual,
                      .attempts = lock.attempts};
    for (const Uuid& id : lock.duplicates) {
        conflict.duplicate_event_ids.push_back(base::to_string(id));
    }
    return conflict;
}

/// The names of members of the API that have others in C++.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> cpp_names{{
    {"targetTimestampUTC", "at"},
    {"targetTimestampLocal", "local_time"},
    {"targetTimezone", "timezone"},
    {"deliveryPayload", "payload"},
    {"endpointId", "queue"},
    {"eventType", "type"},
    {"trigger", "rule"},
    {"schedule", ""},
    {"?scheduleId", "schedule"},
    {"?userId", "user_id"},
    {"externalId", "external_id"},
    {"aggregateId", "stream.id"},
    {"retryPolicy", "retry_delays"},
    {"delays", ""},
    {"rateLimit", "max_per_second"},
    {"perSecond", ""},
    {"burst", ""},
}};

/// "first_name" for "firstName".
std::string snake_case(std::string_view name) {
    std::string snake;
    for (const char c : name) {
        if (base::is_upper(c) && !snake.empty()) snake += '_';
        snake += base::lower(c);
    }
    return snake;
}

/// "rule.cron" for "/trigger/cron".
std::string cpp_name(std::string_view pointer) {
    std::string name;
    while (!pointer.empty()) {
        if (pointer.front() == '/') pointer.remove_prefix(1);
        const auto part = pointer.substr(0, pointer.find('/'));
        pointer.remove_prefix(part.size());
        const auto known =
            std::ranges::find(cpp_names, part, [](const auto& pair) { return pair.first; });
        const std::string its =
            known == cpp_names.end() ? snake_case(part) : std::string{known->second};
        if (!name.empty() && !its.empty()) name += '.';
        name += its;
    }
    return name;
}

std::string detail_of(const ValidationFailed& failed) {
    std::string detail;
    for (const FieldError& error : failed.errors) {
        const std::string name = cpp_name(error.pointer);
        detail += (detail.empty() ? "" : "; ") + name + (name.empty() ? "" : " ") + error.message;
    }
    return detail;
}

struct ToData {
    using Data = Error::Data;

    static Data refused(const sundial::StreamId& stream) {
        return RefusedStream{stream.aggregate_type, stream.aggregate_id};
    }

    Data operator()(const ValidationFailed& failed) const {
        InvalidFields fields;
        fields.reserve(failed.errors.size());
        for (const FieldError& error : failed.errors) {
            fields.push_back({cpp_name(error.pointer), error.code, error.message});
        }
        return fields;
    }
    Data operator()(const PayloadTooLarge& large) const {
        return InvalidFields{
            {large.what, "too_long",
             "is larger than " + std::to_string(large.limit) +
                 (large.index ? ", at index " + std::to_string(*large.index) : "")}};
    }
    Data operator()(const StreamOptimisticLock& lock) const { return conflict_of(lock); }
    Data operator()(const OptimisticLock& lock) const {
        return VersionConflict{lock.id, lock.expected.value, lock.actual.value};
    }
    Data operator()(const LockHeld& held) const {
        return HeldLock{held.name, held.holder, held.expires_at};
    }
    Data operator()(const LockLeaseLost& lost) const {
        return LostLease{lost.name, lost.held.value};
    }
    Data operator()(const LeaseLost& lost) const {
        return LostLease{to_string(lost.id), lost.held.value};
    }
    Data operator()(const CheckpointLost& lost) const {
        return LostLease{lost.name, lost.fencing_token};
    }
    Data operator()(const DuplicateIdempotencyKey& duplicate) const {
        return Duplicate{duplicate.key.value, to_string(duplicate.existing),
                         std::string{to_string(duplicate.status)}};
    }
    Data operator()(const DuplicateExternalId& duplicate) const {
        return Duplicate{duplicate.external_id, base::to_string(duplicate.existing), {}};
    }
    Data operator()(const InvalidStateTransition& refused) const {
        return WrongState{
            .event_id = to_string(refused.id),
            .status = std::string{to_string(refused.status)},
            .claimed = refused.claimed_by.has_value(),
            .waiting_for = refused.waiting_for ? std::string{to_string(*refused.waiting_for)} : "",
            .version = refused.version.value};
    }
    Data operator()(const EventIdReused& reused) const {
        ReusedIds ids;
        ids.reserve(reused.conflicts.size());
        for (const EventIdConflict& one : reused.conflicts) {
            ids.push_back({.event_id = base::to_string(one.event_id),
                           .reason = std::string{to_string(one.reason)},
                           .stream_type = one.stream ? one.stream->aggregate_type : "",
                           .stream_id = one.stream ? one.stream->aggregate_id : ""});
        }
        return ids;
    }
    Data operator()(const NotFound& missing) const { return Missing{missing.id}; }
    Data operator()(const AggregateNotFound& missing) const { return refused(missing.stream); }
    Data operator()(const StreamDeleted& deleted) const { return refused(deleted.stream); }
    Data operator()(const StreamArchived& archived) const { return refused(archived.stream); }
    Data operator()(const CheckpointConflict& conflict) const {
        return MovedCheckpoint{conflict.name, conflict.position};
    }
    Data operator()(const FeedDiverged& diverged) const {
        return DivergedFeed{diverged.position, base::to_string(diverged.event_id)};
    }
    Data operator()(const EndpointDisabled& disabled) const {
        return StoppedEndpoint{to_string(disabled.id), disabled.reason};
    }
    Data operator()(const EndpointInUse& used) const {
        return UsedEndpoint{to_string(used.id), used.events, used.schedules};
    }
    Data operator()(const InvalidTemplate& wrong) const { return WrongTemplate{wrong.name}; }
    template <class Reason>
    Data operator()(const Reason& /*reason*/) const {
        return {};  // its code says everything
    }
};

}  // namespace

Error error_of(const sundial::Error& error) {
    Refusal refusal = refusal_of(error);
    Error shown{std::move(refusal.code), std::move(refusal.detail)};
    shown.data = std::visit(ToData{}, static_cast<const AnyReason&>(error));
    if (const auto* invalid = std::get_if<ValidationFailed>(&error)) {
        shown.detail = detail_of(*invalid);
    }
    return shown;
}

Error error_of(const StatementRefused& refused) {
    const StatementRefused::Codes& codes = refused.codes;
    return {"SQL_FAILED", refused.what(),
            SqlFailure{codes.sqlstate, codes.sqlite, codes.constraint}};
}

std::optional<std::string> unless_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

sundial::Result<sundial::NewEvent, ValidationFailed> requested_event(const NewEvent& requested) {
    if (requested.at && !in_range(*requested.at)) {
        return invalid("/at", "out_of_range", "must be in the years 0001 to 9999");
    }
    if (!requested.queue.empty() && !requested.endpoint.empty()) {
        return invalid("/endpoint", "not_allowed", "cannot be set beside queue");
    }
    sundial::NewEvent event;
    event.event_type = requested.type;
    event.priority = static_cast<sundial::Priority>(requested.priority);
    event.user = unless_empty(requested.user_id);
    if (requested.at) event.target.utc = format_instant(*requested.at);
    event.target.local = unless_empty(requested.local_time);
    event.target.zone = unless_empty(requested.timezone);
    event.payload = requested.payload;
    event.idempotency_key = unless_empty(requested.idempotency_key);
    if (!requested.queue.empty()) event.endpoint = "ext:" + requested.queue;
    if (!requested.endpoint.empty()) event.endpoint = requested.endpoint;
    event.trace = parse_traceparent(requested.traceparent);
    return event;
}

UserFields requested_user(const NewUser& requested) {
    return {.external_id = unless_empty(requested.external_id),
            .first_name = requested.first_name,
            .last_name = requested.last_name,
            .date_of_birth = requested.date_of_birth,
            .timezone = requested.timezone,
            .dates = requested.dates,
            .metadata = requested.metadata};
}

Event shown(const sundial::Event& event) {
    const auto waiting = waiting_for(event);
    const bool has_next = waiting && event.claimable_at != never;
    return {.id = to_string(event.id),
            .type = event.type,
            .status = std::string(to_string(status_of(event))),
            .payload = event.payload,
            .idempotency_key = event.key.value,
            .user_id = event.user ? to_string(*event.user) : "",
            .due = has_instant(event) ? event.due : no_instant,
            .attempt = event.attempt.value,
            .failure_reason = reason_of(event),
            .version = event.version.value,
            .priority = static_cast<Priority>(event.priority),
            .retry_count = event.retry_count,
            .waiting_for = waiting ? std::string{to_string(*waiting)} : "",
            .next_attempt = has_next ? std::optional{event.claimable_at} : std::nullopt,
            .traceparent = trace_of(event)};
}

std::vector<Event> shown(const std::vector<sundial::Event>& events) {
    std::vector<Event> all;
    all.reserve(events.size());
    for (const sundial::Event& event : events) all.push_back(shown(event));
    return all;
}

User shown(const sundial::User& user) {
    User one{.id = to_string(user.id),
             .first_name = user.first_name,
             .last_name = user.last_name,
             .date_of_birth = format_date(user.date_of_birth),
             .timezone = user.timezone,
             .external_id = user.external_id.value_or(""),
             .version = user.version.value,
             .dates = {},
             .metadata = user.metadata};
    for (const auto& [name, date] : user.dates) one.dates.emplace(name, format_date(date));
    return one;
}

}  // namespace sundial::embedding
