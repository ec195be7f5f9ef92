#include "embedded/answers.hpp"

#include <string>
#include <variant>

#include "domain/time/text.hpp"

namespace sundial::embedding {
namespace {

struct ToError {
    Error operator()(const ValidationFailed& failed) const {
        std::string detail;
        for (const FieldError& error : failed.errors) {
            detail += (detail.empty() ? "" : "; ") + error.pointer + ' ' + error.message;
        }
        return {"VALIDATION_FAILED", detail};
    }
    Error operator()(const NotFound& missing) const {
        switch (missing.noun) {
            case Noun::user:
                return {"USER_NOT_FOUND", "there is no user '" + missing.id + "'"};
            case Noun::schedule:
                return {"SCHEDULE_NOT_FOUND", "there is no schedule '" + missing.id + "'"};
            case Noun::endpoint:
                return {"ENDPOINT_NOT_FOUND", "there is no endpoint '" + missing.id + "'"};
            case Noun::operation:
                return {"OPERATION_NOT_FOUND", "there is no operation '" + missing.id + "'"};
            case Noun::api_key:
                return {"API_KEY_NOT_FOUND", "there is no API key '" + missing.id + "'"};
            case Noun::event:
                break;
        }
        return {"EVENT_NOT_FOUND", "there is no event '" + missing.id + "'"};
    }
    Error operator()(const InvalidStateTransition& refused) const {
        return {"INVALID_STATE_TRANSITION", "an event that is " +
                                                std::string(to_string(refused.status)) +
                                                " does not allow: " + refused.action};
    }
    Error operator()(const LeaseLost& lost) const {
        return {"LEASE_LOST", "event " + to_string(lost.id) + " is somebody else's by now"};
    }
    Error operator()(const OptimisticLock& lock) const {
        return {"OPTIMISTIC_LOCK", "'" + lock.id + "' is at version " +
                                       std::to_string(lock.actual.value) + ", not " +
                                       std::to_string(lock.expected.value)};
    }
    Error operator()(const DuplicateIdempotencyKey& duplicate) const {
        return {"DUPLICATE_IDEMPOTENCY_KEY", "the key '" + duplicate.key.value +
                                                 "' belongs to event " +
                                                 to_string(duplicate.existing)};
    }
    Error operator()(const DuplicateExternalId& duplicate) const {
        return {"DUPLICATE_EXTERNAL_ID",
                "another one has the external id '" + duplicate.external_id + "'"};
    }
    Error operator()(const EndpointDisabled& disabled) const {
        return {"ENDPOINT_DISABLED", disabled.reason};
    }
    Error operator()(const InvalidTemplate& invalid) const {
        return {"INVALID_TEMPLATE", invalid.message};
    }
    Error operator()(const InvalidCursor& /*cursor*/) const {
        return {"INVALID_CURSOR", "the cursor is not one of this list"};
    }
    Error operator()(const ClockNotTest& /*clock*/) const {
        return {"CLOCK_NOT_TEST", "only a clock that was opened as a test clock can be moved"};
    }
};

std::string reason_of(const sundial::Event& event) {
    if (const auto* failed = std::get_if<Failed>(&event.state)) return failed->reason;
    if (const auto* cancelled = std::get_if<Cancelled>(&event.state)) return cancelled->reason;
    return {};
}

}  // namespace

Error error_of(const sundial::Error& error) { return std::visit(ToError{}, error); }

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
