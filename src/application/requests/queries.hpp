#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/store.hpp"
#include "application/requests/results.hpp"
#include "domain/error.hpp"

/// References of callers to objects: an id or, if the type has external ids, `ext:` and the
/// external id.
namespace sundial {

inline constexpr std::string_view external_prefix = "ext:";

/// Errors of all: NotFound, with `reference` as given, also for a malformed id.
[[nodiscard]] LookupResult<UserId> user_id(Transaction& tx, std::string_view reference);
[[nodiscard]] LookupResult<ScheduleId> schedule_id(Transaction& tx, std::string_view reference);
[[nodiscard]] LookupResult<EndpointId> endpoint_id(Transaction& tx, std::string_view reference);
/// The same for many, by reference. Unknown references are left out.
[[nodiscard]] std::map<std::string, UserId> user_ids(Transaction& tx,
                                                     const std::set<std::string>& references);
[[nodiscard]] std::map<std::string, EndpointId> endpoint_ids(
    Transaction& tx, const std::set<std::string>& references);
/// Events and operations have no external id.
[[nodiscard]] LookupResult<EventId> event_id(std::string_view reference);
[[nodiscard]] LookupResult<OperationId> operation_id(std::string_view reference);

struct ScheduleView {
    Schedule schedule;
    std::optional<Instant> next_at;  // the earliest planned instant; empty while paused
};

/// A page of outboxes, and the instant of the snapshot.
struct Intakes {
    Page<OutboxState> page;
    Instant now;
};

/// Objects that events refer to; those that were deleted are missing.
struct Related {
    std::map<UserId, User> users{};
    std::map<ScheduleId, Schedule> schedules{};
    std::map<EndpointId, Endpoint> endpoints{};
};
struct Expanded {
    bool users = false, schedules = false, endpoints = false;
};

struct Circuits {
    std::vector<Circuit> circuits;
    Instant now;
};
struct NamedCircuit {
    Endpoint endpoint;
    CircuitState state;
};

/// All read-only requests. References are ids or `ext:…`. Each answer is one consistent snapshot.
/// Errors, if any: NotFound.
class Queries {
public:
    explicit Queries(Store& store) : store_(store) {}

    [[nodiscard]] LookupResult<User> user(std::string_view reference);
    [[nodiscard]] Page<User> users(const UserQuery& query);
    [[nodiscard]] LookupResult<Event> event(std::string_view id);
    [[nodiscard]] Page<Event> events(const EventQuery& query);
    /// Why `events` would read too much for the order of that list.
    [[nodiscard]] std::optional<ValidationFailed> refuse_order(const EventQuery& query);
    /// At most `max_counted`.
    [[nodiscard]] BoundedCount count_events(const EventQuery& query);
    /// The objects of the requested kinds that `events` refer to.
    [[nodiscard]] Related related(std::span<const Event> events, const Expanded& requested);
    [[nodiscard]] LookupResult<std::vector<AttemptRecord>> attempts_of(std::string_view id);
    [[nodiscard]] Page<EndedAttempt> attempts(const AttemptQuery& query);
    /// By `<event>.<number>`.
    [[nodiscard]] LookupResult<EndedAttempt> attempt(std::string_view id);
    [[nodiscard]] LookupResult<Endpoint> endpoint(std::string_view reference);
    [[nodiscard]] Page<Endpoint> endpoints(const EndpointQuery& query);
    /// One circuit per endpoint, and the instant of the snapshot.
    [[nodiscard]] Circuits circuits(std::span<const EndpointId> endpoints);
    /// For metrics: at most `limit` endpoints with a circuit; circuits that are not closed come
    /// first.
    [[nodiscard]] std::vector<NamedCircuit> circuits(std::size_t limit);
    [[nodiscard]] LookupResult<ScheduleView> schedule(std::string_view reference);
    [[nodiscard]] Page<ScheduleView> schedules(const ScheduleQuery& query);
    [[nodiscard]] LookupResult<Operation> operation(std::string_view id);
    [[nodiscard]] Page<Operation> operations(const OperationQuery& query);
    [[nodiscard]] Page<ApiKey> api_keys(const PageRequest& page);
    [[nodiscard]] Page<Calendar> calendars(const CalendarQuery& query);
    /// By number, ascending.
    [[nodiscard]] LookupResult<Page<NumberedFailure>> operation_failures(std::string_view id,
                                                                         const PageRequest& page);
    [[nodiscard]] DeadLetters dead_letters(DeadLettersBy by);
    /// By name, after `after`.
    [[nodiscard]] Intakes intakes(const std::optional<std::string>& after, std::size_t limit);
    /// Rows of one outbox by id, after `after`; none if the outbox is unknown.
    [[nodiscard]] Page<RefusedRow> refused_rows(const std::string& intake,
                                                std::optional<std::int64_t> after,
                                                std::size_t limit);
    [[nodiscard]] Page<TakenRange> taken_ranges(const std::string& intake,
                                                std::optional<std::int64_t> after,
                                                std::size_t limit);

    /// For filters.
    [[nodiscard]] LookupResult<UserId> user_id(std::string_view reference);
    [[nodiscard]] LookupResult<ScheduleId> schedule_id(std::string_view reference);
    [[nodiscard]] LookupResult<EndpointId> endpoint_id(std::string_view reference);

private:
    Store& store_;
};

}  // namespace sundial
