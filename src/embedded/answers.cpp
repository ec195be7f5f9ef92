#include "embedded/answers.hpp"

#include <string>
#include <variant>

#include "application/requests/refusal.hpp"
#include "domain/time/text.hpp"

namespace sundial::embedding {
namespace {

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

}  // namespace

Error error_of(const sundial::Error& error) {
    Refusal refusal = refusal_of(error);
    Error shown{std::move(refusal.code), std::move(refusal.detail)};
    if (const auto* lock = std::get_if<StreamOptimisticLock>(&error)) {
        shown.data = conflict_of(*lock);
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
    sundial::NewEvent event;
    event.event_type = requested.type;
    event.user = unless_empty(requested.user_id);
    if (requested.at) event.target.utc = format_instant(*requested.at);
    event.target.local = unless_empty(requested.local_time);
    event.target.zone = unless_empty(requested.timezone);
    event.payload = requested.payload;
    event.idempotency_key = unless_empty(requested.idempotency_key);
    if (!requested.queue.empty()) event.endpoint = "ext:" + requested.queue;
    return event;
}

UserFields requested_user(const NewUser& requested) {
    return {.external_id = unless_empty(requested.external_id),
            .first_name = requested.first_name,
            .last_name = requested.last_name,
            .date_of_birth = requested.date_of_birth,
            .timezone = requested.timezone};
}

Event shown(const sundial::Event& event) {
    return {.id = to_string(event.id),
            .type = event.type,
            .status = std::string(to_string(status_of(event))),
            .payload = event.payload,
            .idempotency_key = event.key.value,
            .user_id = event.user ? to_string(*event.user) : "",
            .due = event.due,
            .attempt = event.attempt.value,
            .failure_reason = reason_of(event),
            .version = event.version.value};
}

std::vector<Event> shown(const std::vector<sundial::Event>& events) {
    std::vector<Event> all;
    for (const sundial::Event& event : events) all.push_back(shown(event));
    return all;
}

User shown(const sundial::User& user) {
    return {.id = to_string(user.id),
            .first_name = user.first_name,
            .last_name = user.last_name,
            .date_of_birth = format_date(user.date_of_birth),
            .timezone = user.timezone,
            .external_id = user.external_id.value_or("")};
}

}  // namespace sundial::embedding
