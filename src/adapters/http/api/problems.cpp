#include "adapters/http/api/problems.hpp"

#include <boost/json.hpp>
#include <chrono>
#include <string>

#include "adapters/http/api/etags.hpp"
#include "application/requests/refusal.hpp"
#include "base/json.hpp"
#include "domain/names.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

const std::string no_version_named =
    "; If-Match names no version, which is written with its quotes, as in the ETag: \"1\"";

std::int64_t number(Version version) { return static_cast<std::int64_t>(version.value); }

Problem of_stream(Code code, const StreamId& stream, const std::string& what) {
    return {
        .code = code,
        .detail = "the stream " + stream.aggregate_type + "/" + stream.aggregate_id + ' ' + what,
        .members = {{"aggregateType", stream.aggregate_type},
                    {"aggregateId", stream.aggregate_id}}};
}

void write(base::JsonWriter& json, const EventIdConflict& conflict) {
    json.begin_object();
    json.member("eventId", std::string_view{base::to_string(conflict.event_id)});
    json.member("reason", to_string(conflict.reason));
    if (conflict.stream) {
        json.key("stream").begin_object();
        json.member("aggregateType", std::string_view{conflict.stream->aggregate_type});
        json.member("aggregateId", std::string_view{conflict.stream->aggregate_id});
        json.end_object().member("version", conflict.version);
    }
    json.end_object();
}

/// Says why the endpoint cannot be deleted, and what to do.
std::string in_words(const EndpointInUse& used) {
    std::string text;
    if (!used.schedules.empty()) {
        text = "schedules send to the endpoint, such as '" + used.schedules.front() +
               "'; give them another endpoint, or delete them";
    }
    if (used.events == 0) return text;
    if (!text.empty()) text += ". Also, ";
    const bool is_one = used.events == 1;
    text += std::to_string(used.events) + (is_one ? " live event points" : " live events point") +
            " to the endpoint";
    if (!used.claimed) return text + "; cancelEvents=true cancels those that are not claimed";
    text += is_one ? ", claimed at this moment" : ", some of them claimed at this moment";
    text += "; disable the endpoint, wait until the attempts have ended, and delete it then";
    return text;
}

struct ToProblem {
    Problem operator()(const ValidationFailed& failed) const {
        return validation_failed(failed.errors);
    }

    Problem operator()(const NotFound& missing) const {
        return {.code = code_named(not_found_code(missing.noun)),
                .detail = absence_in_words(missing)};
    }

    Problem operator()(const InvalidStateTransition& refused) const {
        const std::string status{to_string(refused.status)};
        MemberValue claimed_by = nullptr;
        if (refused.claimed_by) claimed_by = to_string(*refused.claimed_by);
        MemberValue waiting_for = nullptr;
        if (refused.waiting_for) waiting_for = std::string{to_string(*refused.waiting_for)};
        return {.code = Code::invalid_state_transition,
                .detail = "an event that is " + status +
                          (refused.claimed_by ? " and claimed" : "") +
                          " does not allow: " + refused.action + wait_in_words(refused.waiting_for),
                .members = {{"eventStatus", status},
                            {"claimedBy", claimed_by},
                            {"waitingFor", waiting_for},
                            {"version", number(refused.version)}}};
    }

    Problem operator()(const LeaseLost& lost) const {
        return {
            .code = Code::lease_lost,
            .detail =
                "the claim is no longer valid: the event has a newer version; discard this result",
            .members = {{"eventId", to_string(lost.id)}, {"version", number(lost.held)}}};
    }

    Problem operator()(const OptimisticLock& lock) const {
        return {
            .code = Code::optimistic_lock,
            .detail = "the " + std::string(noun_in_words(lock.noun)) + " is at version " +
                      std::to_string(lock.actual.value) +
                      (lock.expected == version_of_nothing
                           ? no_version_named
                           : ", not " + std::to_string(lock.expected.value) + "; read it again"),
            .members = {{"expectedVersion",
                         number(lock.expected == version_of_nothing ? Version{0} : lock.expected)},
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
                .detail = "another " + std::string(noun_in_words(duplicate.noun)) +
                          " has the externalId '" + duplicate.external_id + "'",
                .members = {{"existingId", base::to_string(duplicate.existing)}}};
    }

    Problem operator()(const EndpointDisabled& disabled) const {
        return {.code = Code::endpoint_disabled,
                .detail = "the endpoint is disabled; enable it first",
                .members = {{"reason", disabled.reason}}};
    }

    Problem operator()(const EndpointInUse& used) const {
        return {.code = Code::endpoint_in_use,
                .detail = in_words(used),
                .members = {{"count", static_cast<std::int64_t>(used.events)},
                            {"scheduleIds", used.schedules}}};
    }

    Problem operator()(const InvalidTemplate& invalid) const {
        return {.code = Code::invalid_template,
                .detail = invalid.message,
                .members = {{"name", invalid.name}}};
    }

    Problem operator()(const InvalidCursor& /*cursor*/) const { return invalid_cursor(); }

    Problem operator()(const StreamOptimisticLock& lock) const {
        std::vector<std::string> duplicates;
        duplicates.reserve(lock.duplicates.size());
        for (const Uuid& id : lock.duplicates) duplicates.push_back(base::to_string(id));
        const bool named = lock.expected != version_of_no_stream;
        Problem problem{
            .code = Code::optimistic_lock,
            .detail = "the stream is at version " + std::to_string(lock.actual) +
                      (named ? ", not at " + to_string(lock.expected) : no_version_named),
            .members = {{"aggregateType", lock.stream.aggregate_type},
                        {"aggregateId", lock.stream.aggregate_id},
                        {"actualVersion", static_cast<std::int64_t>(lock.actual)},
                        {"duplicateEventIds", duplicates},
                        {"attempts", std::int64_t{lock.attempts}}}};
        if (named) problem.members.push_back({"expectedVersion", lock.expected.number()});
        return problem;
    }

    Problem operator()(const EventIdReused& reused) const {
        base::JsonWriter conflicts;
        conflicts.begin_array();
        for (const EventIdConflict& conflict : reused.conflicts) write(conflicts, conflict);
        conflicts.end_array();
        return {.code = Code::event_id_reused,
                .detail = std::to_string(reused.conflicts.size()) +
                          " event ids are already taken; an id is never used twice",
                .members = {{"conflicts", RawJson{conflicts.text()}}}};
    }

    Problem operator()(const AggregateNotFound& missing) const {
        return of_stream(Code::aggregate_not_found, missing.stream, "has no events");
    }
    Problem operator()(const StreamDeleted& deleted) const {
        return of_stream(Code::stream_deleted, deleted.stream, "is deleted permanently");
    }
    Problem operator()(const StreamArchived& archived) const {
        return of_stream(Code::stream_archived, archived.stream, "is archived; restore it first");
    }

    Problem operator()(const CheckpointConflict& conflict) const {
        return {.code = Code::checkpoint_conflict,
                .detail = "the checkpoint is at " + std::to_string(conflict.position) +
                          "; another follower has moved it. Read it again",
                .members = {{"position", static_cast<std::int64_t>(conflict.position)}}};
    }
    Problem operator()(const CheckpointLost& lost) const {
        return {.code = Code::lease_lost,
                .detail =
                    "a greater fencing token has been seen: another follower holds the checkpoint",
                .members = {{"name", lost.name},
                            {"fencingToken", static_cast<std::int64_t>(lost.fencing_token)}}};
    }
    Problem operator()(const FeedDiverged& diverged) const {
        return {
            .code = Code::feed_diverged,
            .detail =
                "that event is not recorded at that position: the checkpoint and the store have "
                "different histories, for example because one of them was restored from a backup",
            .members = {{"position", static_cast<std::int64_t>(diverged.position)},
                        {"eventId", base::to_string(diverged.event_id)}}};
    }
    /// Only library users that load aggregates can get this error.
    Problem operator()(const UnknownEventType& unknown) const {
        return {.code = Code::internal_error,
                .detail = "unknown event type '" + unknown.type + "'"};
    }

    Problem operator()(const PayloadTooLarge& large) const {
        Problem problem{.code = Code::payload_too_large,
                        .detail = large.what + " is larger than " + std::to_string(large.limit),
                        .members = {{"limit", static_cast<std::int64_t>(large.limit)}}};
        if (large.index) {
            problem.members.emplace_back("index", static_cast<std::int64_t>(*large.index));
        }
        return problem;
    }

    Problem operator()(const LockHeld& held) const {
        return {.code = Code::lock_held,
                .detail = "'" + held.holder + "' has the lock '" + held.name + "'",
                .members = {{"name", held.name},
                            {"holder", held.holder},
                            {"expiresAt", format_instant_millis(held.expires_at)}},
                .retry_after = std::chrono::seconds{1}};
    }
    Problem operator()(const LockNotHeld& lock) const {
        return {.code = Code::lock_not_held,
                .detail = "the lock '" + lock.name + "' is not held under that token",
                .members = {{"name", lock.name}}};
    }
    Problem operator()(const LockLeaseLost& lost) const {
        return {.code = Code::lease_lost,
                .detail = "the lock '" + lost.name + "' is no longer held: its lease has expired",
                .members = {{"name", lost.name},
                            {"fencingToken", static_cast<std::int64_t>(lost.held.value)}}};
    }

    Problem operator()(const ClockNotTest& /*clock*/) const {
        return {.code = Code::clock_not_test,
                .detail =
                    "the clock is not a test clock; only a server started with 'sundial dev "
                    "--test-clock' can move it"};
    }

    Problem operator()(const FirstKeyNotAdmin& /*first*/) const {
        return {
            .code = Code::first_key_not_admin,
            .detail =
                "no key has the role ADMIN yet, and only ADMIN keys can create and revoke keys; "
                "create a key with \"role\": \"ADMIN\" first"};
    }
    Problem operator()(const LastAdminKey& last) const {
        const bool expiry = last.refused == LastAdminKey::Refused::expiry;
        return {.code = Code::last_admin_key,
                .detail =
                    expiry ? "no ADMIN key without an expiry exists, so this key cannot "
                             "expire; leave out expiresAt"
                           : "this is the last ADMIN key without an expiry, and other keys exist; "
                             "create another ADMIN key first, or revoke the other keys"};
    }

    Problem operator()(const Stopped& /*stopped*/) const {
        return {.code = Code::draining,
                .detail = "the server is stopping; send the request again soon"};
    }

    Problem operator()(const TooManyOperations& many) const {
        return {
            .code = Code::rate_limited,
            .detail = "at most " + std::to_string(many.limit) +
                      " operations of this kind may run at once; wait for one to end, or stop one",
            .retry_after = std::chrono::seconds{5}};
    }
};

}  // namespace

Problem problem_of(const Error& error) { return std::visit(ToProblem{}, error); }

std::optional<Problem> payload_too_large(const JsonBody& body, std::string_view member) {
    return payload_too_large(body.raw_member(member), member);
}

std::optional<Problem> payload_too_large(std::optional<std::string_view> payload,
                                         std::string_view member) {
    if (!payload || payload->size() <= max_payload_bytes) return std::nullopt;
    return Problem{.code = Code::payload_too_large,
                   .detail = "/" + std::string(member) + " has " + std::to_string(payload->size()) +
                             " bytes; at most " + std::to_string(max_payload_bytes) + " are kept",
                   .members = {{"limit", static_cast<std::int64_t>(max_payload_bytes)}}};
}

Problem invalid_cursor() {
    return {
        .code = Code::invalid_cursor,
        .detail = "the cursor is not one of this list with these filters; start again without it"};
}

namespace {

namespace bj = boost::json;

bool is_seed_route(std::string_view path) {
    for (const std::string_view base : {"/users", "/user"}) {
        if (path == base || (path.starts_with(base) && path[base.size()] == '/')) return true;
    }
    return false;
}

/// The seeds define codes of their own for two fields that often contain mistakes.
std::string_view code_of(const bj::object& problem, const bj::array& details) {
    if (details.size() == 1) {
        const auto& field = details[0].at("field").as_string();
        if (field == "timezone") return "INVALID_TIMEZONE";
        if (field == "dateOfBirth") return "INVALID_DATE_OF_BIRTH";
    }
    return problem.at("code").as_string();
}

}  // namespace

Response with_seed_error(Response response, const std::string& path) {
    if (response.content_type != "application/problem+json" || !is_seed_route(path))
        return response;
    bj::object problem = bj::parse(response.body).as_object();
    bj::array details;
    if (const bj::value* errors = problem.if_contains("errors")) {
        for (const bj::value& error : errors->as_array()) {
            std::string field(error.at("pointer").as_string());
            if (field.starts_with('/')) field.erase(0, 1);
            details.push_back({{"field", field}, {"message", error.at("message")}});
        }
    }
    const std::string code{code_of(problem, details)};
    bj::value error{
        {"code", code}, {"message", problem.at("detail")}, {"details", std::move(details)}};
    // Two steps: adding the member may move values that the initializer list refers to.
    problem["error"] = std::move(error);
    response.body = bj::serialize(problem);
    return response;
}

}  // namespace sundial::http
