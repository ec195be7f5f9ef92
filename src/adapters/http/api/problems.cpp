#include "adapters/http/api/problems.hpp"

#include <chrono>
#include <string>
#include <string_view>

#include "domain/names.hpp"

namespace sundial::http {
namespace {

std::string_view name_of(Noun noun) {
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
            break;
    }
    return "API key";
}

Code not_found_code(Noun noun) {
    switch (noun) {
        case Noun::user:
            return Code::user_not_found;
        case Noun::schedule:
            return Code::schedule_not_found;
        case Noun::event:
            return Code::event_not_found;
        case Noun::endpoint:
            return Code::endpoint_not_found;
        case Noun::operation:
            return Code::operation_not_found;
        case Noun::api_key:
            break;
    }
    return Code::api_key_not_found;
}

std::int64_t number(Version version) { return static_cast<std::int64_t>(version.value); }

struct ToProblem {
    Problem operator()(const ValidationFailed& failed) const {
        return validation_failed(failed.errors);
    }

    Problem operator()(const NotFound& missing) const {
        return {.code = not_found_code(missing.noun),
                .detail =
                    "there is no " + std::string(name_of(missing.noun)) + " '" + missing.id + "'"};
    }

    Problem operator()(const InvalidStateTransition& refused) const {
        const std::string status{to_string(refused.status)};
        MemberValue claimed_by = nullptr;
        if (refused.claimed_by) claimed_by = to_string(*refused.claimed_by);
        return {.code = Code::invalid_state_transition,
                .detail = "an event that is " + status +
                          (refused.claimed_by ? " and claimed" : "") +
                          " does not allow: " + refused.action,
                .members = {{"eventStatus", status},
                            {"claimedBy", claimed_by},
                            {"version", number(refused.version)}}};
    }

    Problem operator()(const LeaseLost& lost) const {
        return {.code = Code::lease_lost,
                .detail = "the event is past the version that the claim returned",
                .members = {{"eventId", to_string(lost.id)}, {"version", number(lost.held)}}};
    }

    Problem operator()(const OptimisticLock& lock) const {
        return {.code = Code::optimistic_lock,
                .detail = "the " + std::string(name_of(lock.noun)) + " is at version " +
                          std::to_string(lock.actual.value) + ", not " +
                          std::to_string(lock.expected.value) + "; read it again",
                .members = {{"expectedVersion", number(lock.expected)},
                            {"actualVersion", number(lock.actual)}},
                .status = 412};
    }

    Problem operator()(const DuplicateIdempotencyKey& duplicate) const {
        return {.code = Code::duplicate_idempotency_key,
                .detail = "the key '" + duplicate.key.value + "' belongs to another event",
                .members = {{"existingId", to_string(duplicate.existing)},
                            {"eventStatus", std::string(to_string(duplicate.status))}}};
    }

    Problem operator()(const DuplicateExternalId& duplicate) const {
        return {.code = Code::duplicate_external_id,
                .detail = "another " + std::string(name_of(duplicate.noun)) +
                          " has the externalId '" + duplicate.external_id + "'",
                .members = {{"existingId", base::to_string(duplicate.existing)}}};
    }

    Problem operator()(const EndpointDisabled& disabled) const {
        return {.code = Code::endpoint_disabled,
                .detail = "the endpoint is disabled; enable it first",
                .members = {{"reason", disabled.reason}}};
    }

    Problem operator()(const InvalidTemplate& invalid) const {
        return {.code = Code::invalid_template,
                .detail = invalid.message,
                .members = {{"name", invalid.name}}};
    }

    Problem operator()(const InvalidCursor& /*cursor*/) const { return invalid_cursor(); }

    Problem operator()(const ClockNotTest& /*clock*/) const {
        return {.code = Code::clock_not_test,
                .detail = "the clock can be moved only under 'sundial dev --test-clock'"};
    }

    Problem operator()(const TooManyOperations& many) const {
        return {.code = Code::rate_limited,
                .detail = "at most " + std::to_string(many.limit) +
                          " operations of that kind are at work at once; wait for one, or stop it",
                .retry_after = std::chrono::seconds{5}};
    }
};

}  // namespace

Problem problem_of(const Error& error) { return std::visit(ToProblem{}, error); }

std::optional<Problem> payload_too_large(const JsonBody& body, std::string_view member) {
    const auto payload = body.raw_member(member);
    if (!payload || payload->size() <= most_payload_bytes) return std::nullopt;
    return Problem{.code = Code::payload_too_large,
                   .detail = "/" + std::string(member) + " has " + std::to_string(payload->size()) +
                             " bytes; at most " + std::to_string(most_payload_bytes) + " are kept",
                   .members = {{"limit", static_cast<std::int64_t>(most_payload_bytes)}}};
}

Problem invalid_cursor() {
    return {
        .code = Code::invalid_cursor,
        .detail = "the cursor is not one of this list with these filters; start again without it"};
}

}  // namespace sundial::http
