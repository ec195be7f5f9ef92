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
