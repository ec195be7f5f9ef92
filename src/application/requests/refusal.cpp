#include "application/requests/refusal.hpp"

#include <string>
#include <string_view>
#include <variant>

#include "application/requests/queries.hpp"
#include "base/uuid.hpp"

namespace sundial {
namespace {

std::string name_of(const StreamId& stream) {
    return "the stream " + stream.aggregate_type + "/" + stream.aggregate_id;
}

struct ToRefusal {
    Refusal operator()(const ValidationFailed& failed) const {
        std::string detail;
        for (const FieldError& error : failed.errors) {
            const std::string place = error.pointer.empty() ? "" : error.pointer + ' ';
            detail += (detail.empty() ? "" : "; ") + place + error.message;
        }
        return {"VALIDATION_FAILED", detail, failed.errors};
    }
    Refusal operator()(const NotFound& missing) const {
        return {std::string(not_found_code(missing.noun)), absence_in_words(missing)};
    }
    Refusal operator()(const InvalidStateTransition& refused) const {
        return {"INVALID_STATE_TRANSITION",
                "an event that is " + std::string(to_string(refused.status)) +
                    (refused.claimed_by ? " and claimed" : "") +
                    " does not allow: " + refused.action + wait_in_words(refused.waiting_for)};
    }
    Refusal operator()(const LeaseLost& lost) const {
        return {"LEASE_LOST", "event " + to_string(lost.id) + " is no longer held by this claim"};
    }
    Refusal operator()(const OptimisticLock& lock) const {
        return {"OPTIMISTIC_LOCK", "'" + lock.id + "' is at version " +
                                       std::to_string(lock.actual.value) + ", not " +
                                       std::to_string(lock.expected.value)};
    }
    Refusal operator()(const DuplicateIdempotencyKey& duplicate) const {
        return {"DUPLICATE_IDEMPOTENCY_KEY", "the key '" + duplicate.key.value +
                                                 "' belongs to event " +
                                                 to_string(duplicate.existing) + ", which is " +
                                                 std::string(to_string(duplicate.status))};
    }
    Refusal operator()(const DuplicateExternalId& duplicate) const {
        return {"DUPLICATE_EXTERNAL_ID",
                "another object already has the external id '" + duplicate.external_id + "'"};
    }
    Refusal operator()(const EndpointDisabled& disabled) const {
        return {"ENDPOINT_DISABLED", disabled.reason};
    }
    Refusal operator()(const EndpointInUse& used) const {
        return {"ENDPOINT_IN_USE",
                "endpoint " + to_string(used.id) + " is in use: " + std::to_string(used.events) +
                    " live events point to it, and " +
                    (used.schedules.empty() ? "no schedules" : "schedules") + " send to it"};
    }
    Refusal operator()(const InvalidTemplate& invalid) const {
        return {"INVALID_TEMPLATE", invalid.message};
    }
    Refusal operator()(const InvalidCursor& /*cursor*/) const {
        return {"INVALID_CURSOR", "the cursor is not one of this list"};
    }
    Refusal operator()(const ClockNotTest& /*clock*/) const {
        return {"CLOCK_NOT_TEST", "the clock is not a test clock, so it cannot be moved"};
    }
    Refusal operator()(const Stopped& /*stopped*/) const {
        return {"STOPPED", "a stop was requested before the call finished"};
    }
    Refusal operator()(const StreamOptimisticLock& lock) const {
        return {"OPTIMISTIC_LOCK", name_of(lock.stream) + " is at version " +
                                       std::to_string(lock.actual) + ", not at " +
                                       to_string(lock.expected)};
    }
    Refusal operator()(const EventIdReused& reused) const {
        return {"EVENT_ID_REUSED",
                base::to_string(reused.conflicts.front().event_id) +
                    " is taken: " + std::string(to_string(reused.conflicts.front().reason))};
    }
    Refusal operator()(const AggregateNotFound& missing) const {
        return {"AGGREGATE_NOT_FOUND", name_of(missing.stream) + " has no events"};
    }
    Refusal operator()(const StreamDeleted& deleted) const {
        return {"STREAM_DELETED", name_of(deleted.stream) + " is deleted permanently"};
    }
    Refusal operator()(const StreamArchived& archived) const {
        return {"STREAM_ARCHIVED", name_of(archived.stream) + " is archived; restore it first"};
    }
    Refusal operator()(const PayloadTooLarge& large) const {
        return {"PAYLOAD_TOO_LARGE", large.what + " is larger than " + std::to_string(large.limit)};
    }
    Refusal operator()(const CheckpointConflict& conflict) const {
        return {"CHECKPOINT_CONFLICT", "the checkpoint '" + conflict.name + "' is at " +
                                           std::to_string(conflict.position) + " by now"};
    }
    Refusal operator()(const CheckpointLost& lost) const {
        return {"LEASE_LOST", "another follower has taken over the checkpoint '" + lost.name +
                                  "' with a greater fencing token than " +
                                  std::to_string(lost.fencing_token)};
    }
    Refusal operator()(const FeedDiverged& diverged) const {
        return {"FEED_DIVERGED", "event " + base::to_string(diverged.event_id) +
                                     " is not at position " + std::to_string(diverged.position) +
                                     ": the checkpoint and the store have different histories"};
    }
    Refusal operator()(const UnknownEventType& unknown) const {
        return {"UNKNOWN_EVENT_TYPE", "unknown event type '" + unknown.type +
                                          "' in schema version " +
                                          std::to_string(unknown.schema_version)};
    }
    Refusal operator()(const LockHeld& held) const {
        return {"LOCK_HELD", "'" + held.holder + "' has the lock '" + held.name + "'"};
    }
    Refusal operator()(const LockNotHeld& lock) const {
        return {"LOCK_NOT_HELD", "the lock '" + lock.name + "' is not held under that token"};
    }
    Refusal operator()(const LockLeaseLost& lost) const {
        return {"LEASE_LOST", "the lock '" + lost.name + "' was held under fencing token " +
                                  std::to_string(lost.held.value) + ", whose lease has expired"};
    }
    Refusal operator()(const FirstKeyNotAdmin& /*first*/) const {
        return {"FIRST_KEY_NOT_ADMIN", "the first key must have the role ADMIN"};
    }
    Refusal operator()(const LastAdminKey& /*last*/) const {
        return {"LAST_ADMIN_KEY",
                "while other keys exist, one ADMIN key without an expiry must remain"};
    }
    Refusal operator()(const TooManyOperations& many) const {
        return {"RATE_LIMITED", "at most " + std::to_string(many.limit) +
                                    " operations of this kind may run at once"};
    }
};

}  // namespace

std::string_view not_found_code(Noun noun) {
    switch (noun) {
        case Noun::user:
            return "USER_NOT_FOUND";
        case Noun::schedule:
            return "SCHEDULE_NOT_FOUND";
        case Noun::endpoint:
            return "ENDPOINT_NOT_FOUND";
        case Noun::operation:
            return "OPERATION_NOT_FOUND";
        case Noun::api_key:
            return "API_KEY_NOT_FOUND";
        case Noun::lock:
            return "LOCK_NOT_FOUND";
        case Noun::attempt:
            return "ATTEMPT_NOT_FOUND";
        case Noun::instance:
            return "INSTANCE_NOT_FOUND";
        case Noun::calendar:
            return "CALENDAR_NOT_FOUND";
        case Noun::event:
            break;
    }
    return "EVENT_NOT_FOUND";
}

std::string_view noun_in_words(Noun noun) {
    switch (noun) {
        case Noun::user:
            return "user";
        case Noun::schedule:
            return "schedule";
        case Noun::event:
            return "event";
        case Noun::endpoint:
            return "endpoint";
        case Noun::operation:
            return "operation";
        case Noun::api_key:
            return "API key";
        case Noun::attempt:
            return "attempt";
        case Noun::instance:
            return "instance";
        case Noun::calendar:
            return "calendar";
        case Noun::lock:
            break;
    }
    return "held lock";
}

std::string absence_in_words(const NotFound& missing) {
    const std::string text =
        "there is no " + std::string(noun_in_words(missing.noun)) + " '" + missing.id + "'";
    const bool has_external_ids = missing.noun == Noun::user || missing.noun == Noun::schedule ||
                                  missing.noun == Noun::endpoint;
    const bool known_form = missing.id.starts_with(external_prefix) || base::parse_uuid(missing.id);
    if (!has_external_ids || missing.id.empty() || known_form) return text;
    return text + "; an external id is written 'ext:" + missing.id + "'";
}

std::string wait_in_words(std::optional<WaitReason> reason) {
    return reason ? "; " + std::string{in_words(*reason)} : std::string{};
}

Refusal refusal_of(const Error& error) { return std::visit(ToRefusal{}, error); }

}  // namespace sundial
