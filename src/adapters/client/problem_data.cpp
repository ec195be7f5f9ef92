#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "adapters/client/wire.hpp"
#include "base/text.hpp"

namespace sundial::client {
namespace {

using Data = embedding::Error::Data;

Data conflict_of(const JsonView& problem) {
    if (!problem.member("aggregateType")) {
        return embedding::VersionConflict{.id = {},
                                          .expected = problem.number_of("expectedVersion"),
                                          .actual = problem.number_of("actualVersion")};
    }
    const auto expected = problem.member("expectedVersion");
    embedding::Conflict conflict{.stream_type = problem.text_of("aggregateType"),
                                 .stream_id = problem.text_of("aggregateId"),
                                 .expected = expected ? expected->integer().value_or(0) : 0,
                                 .actual = problem.number_of("actualVersion")};
    if (const auto ids = problem.member("duplicateEventIds")) {
        ids->for_each([&](const JsonView& id) {
            conflict.duplicate_event_ids.push_back(id.text().value_or(""));
        });
    }
    if (problem.member("attempts")) {
        conflict.attempts = static_cast<unsigned>(problem.number_of("attempts"));
    }
    return conflict;
}

Data fields_of(const JsonView& problem) {
    embedding::InvalidFields fields;
    if (const auto errors = problem.member("errors")) {
        errors->for_each([&](const JsonView& error) {
            fields.push_back({.field = error.text_of("pointer"),
                              .code = error.text_of("code"),
                              .message = error.text_of("message")});
        });
    }
    return fields;
}

Data reused_of(const JsonView& problem) {
    embedding::ReusedIds ids;
    if (const auto conflicts = problem.member("conflicts")) {
        conflicts->for_each([&](const JsonView& one) {
            const auto stream = one.member("stream");
            ids.push_back({.event_id = one.text_of("eventId"),
                           .reason = one.text_of("reason"),
                           .stream_type = stream ? stream->text_of("aggregateType") : "",
                           .stream_id = stream ? stream->text_of("aggregateId") : ""});
        });
    }
    return ids;
}

Data lost_lease_of(const JsonView& problem) {
    if (problem.member("eventId")) {
        return embedding::LostLease{.id = problem.text_of("eventId"),
                                    .held = problem.number_of("version")};
    }
    return embedding::LostLease{.id = problem.text_of("name"),
                                .held = problem.number_of("fencingToken")};
}

Data used_endpoint_of(const JsonView& problem) {
    embedding::UsedEndpoint used{.endpoint_id = {}, .events = problem.number_of("count")};
    if (const auto schedules = problem.member("scheduleIds")) {
        schedules->for_each(
            [&](const JsonView& id) { used.schedules.push_back(id.text().value_or("")); });
    }
    return used;
}

Data held_lock_of(const JsonView& problem) {
    const auto end = instant_of(problem, "expiresAt");
    return embedding::HeldLock{.name = problem.text_of("name"),
                               .holder = problem.text_of("holder"),
                               .expires_at = end.value_or(embedding::Instant{})};
}

Data wrong_state_of(const JsonView& problem) {
    return embedding::WrongState{.event_id = {},
                                 .status = problem.text_of("eventStatus"),
                                 .claimed = problem.member("claimedBy").has_value(),
                                 .waiting_for = problem.text_of("waitingFor"),
                                 .version = problem.number_of("version")};
}

Data duplicate_of(const JsonView& problem) {
    return embedding::Duplicate{.name = {},
                                .existing = problem.text_of("existingId"),
                                .status = problem.text_of("eventStatus")};
}

Data too_large_of(const JsonView& problem) {
    return embedding::InvalidFields{
        {.field = {}, .code = "too_long", .message = problem.text_of("detail")}};
}

bool is_of_stream(std::string_view code) {
    return code == "AGGREGATE_NOT_FOUND" || code == "STREAM_ARCHIVED" || code == "STREAM_DELETED";
}

/// Members and parameters of requests whose names in C++ are other words.
constexpr std::array<std::pair<std::string_view, std::string_view>, 22> names_in_cpp{{
    {"eventType", "type"},
    {"targetTimestampUTC", "at"},
    {"targetTimestampLocal", "local_time"},
    {"targetTimezone", "timezone"},
    {"deliveryPayload", "payload"},
    {"endpointId", "endpoint"},
    {"expectedVersion", "expected"},
    {"eventId", "id"},
    {"ttl", "lease"},
    {"lockToken", "token"},
    {"trigger", "rule"},
    {"retryPolicy", "retry_delays"},
    {"delays", ""},
    {"rateLimit", "max_per_second"},
    {"perSecond", ""},
    {"burst", ""},
    {"?cursor", "after"},
    {"?targetFrom", "due_from"},
    {"?targetTo", "due_to"},
    {"?scheduleId", "schedule"},
    {"?endpointId", "queue"},
    {"?eventType", "types"},
}};

std::string one_name_in_cpp(std::string_view part) {
    const auto known =
        std::ranges::find(names_in_cpp, part, [](const auto& pair) { return pair.first; });
    if (known != names_in_cpp.end()) return std::string{known->second};
    if (part.starts_with('?')) part.remove_prefix(1);
    std::string name;
    for (const char c : part) {
        if (base::is_upper(c) && !name.empty()) name += '_';
        name += base::lower(c);
    }
    return name;
}

/// "events.0.metadata.occurred_at" for "/events/0/metadata/occurredAt"; "after" for "?cursor".
std::string field_in_cpp(std::string_view pointer) {
    if (pointer.starts_with('?')) return one_name_in_cpp(pointer);
    std::string name;
    while (pointer.starts_with('/')) {
        pointer.remove_prefix(1);
        const auto part = pointer.substr(0, pointer.find('/'));
        pointer.remove_prefix(part.size());
        const std::string its = one_name_in_cpp(part);
        if (!name.empty() && !its.empty()) name += '.';
        name += its;
    }
    return name;
}

struct Completion {
    const Asked& asked;

    void operator()(embedding::VersionConflict& conflict) const { conflict.id = asked.id; }
    void operator()(embedding::WrongState& state) const { state.event_id = asked.id; }
    void operator()(embedding::Duplicate& duplicate) const { duplicate.name = asked.id; }
    void operator()(embedding::UsedEndpoint& used) const { used.endpoint_id = asked.endpoint; }
    void operator()(auto& /*complete*/) const {}
};

/// The object that the server did not find, as the call named it.
embedding::Error::Data missing_of(std::string_view code, const Asked& asked) {
    if (code == "USER_NOT_FOUND") return embedding::Missing{asked.user};
    if (code == "ENDPOINT_NOT_FOUND") return embedding::Missing{asked.endpoint};
    return embedding::Missing{asked.id};
}

}  // namespace

Data details_of(std::string_view code, const JsonView& problem) {
    if (code == "OPTIMISTIC_LOCK") return conflict_of(problem);
    if (code == "VALIDATION_FAILED") return fields_of(problem);
    if (code == "EVENT_ID_REUSED") return reused_of(problem);
    if (code == "LEASE_LOST") return lost_lease_of(problem);
    if (code == "LOCK_HELD") return held_lock_of(problem);
    if (code == "INVALID_STATE_TRANSITION") return wrong_state_of(problem);
    if (code == "DUPLICATE_IDEMPOTENCY_KEY" || code == "DUPLICATE_EXTERNAL_ID") {
        return duplicate_of(problem);
    }
    if (code == "ENDPOINT_IN_USE") return used_endpoint_of(problem);
    if (code == "PAYLOAD_TOO_LARGE") return too_large_of(problem);
    if (code == "ENDPOINT_DISABLED") {
        return embedding::StoppedEndpoint{.endpoint_id = {}, .reason = problem.text_of("reason")};
    }
    if (code == "INVALID_TEMPLATE") return embedding::WrongTemplate{problem.text_of("name")};
    if (code == "CHECKPOINT_CONFLICT") {
        return embedding::MovedCheckpoint{.name = {}, .position = problem.number_of("position")};
    }
    if (code == "FEED_DIVERGED") {
        return embedding::DivergedFeed{.position = problem.number_of("position"),
                                       .event_id = problem.text_of("eventId")};
    }
    if (is_of_stream(code)) {
        return embedding::RefusedStream{.stream_type = problem.text_of("aggregateType"),
                                        .stream_id = problem.text_of("aggregateId")};
    }
    return {};
}

embedding::Error completed(embedding::Error error, const Asked& asked) {
    if (error.code.ends_with("_NOT_FOUND") && std::get_if<std::monostate>(&error.data) != nullptr) {
        error.data = missing_of(error.code, asked);
    }
    std::visit(Completion{asked}, error.data);
    auto* const fields = std::get_if<embedding::InvalidFields>(&error.data);
    if (fields == nullptr || fields->empty()) return error;
    error.detail.clear();
    for (embedding::InvalidField& field : *fields) {
        if (field.field.starts_with('/') || field.field.starts_with('?')) {
            field.field = field_in_cpp(field.field);
        }
        error.detail += (error.detail.empty() ? "" : "; ") + field.field +
                        (field.field.empty() ? "" : " ") + field.message;
    }
    return error;
}

embedding::Error refused_field(const std::string& field, const std::string& why) {
    return {"VALIDATION_FAILED", field + ' ' + why,
            embedding::InvalidFields{{field, "bad_format", why}}};
}

}  // namespace sundial::client
