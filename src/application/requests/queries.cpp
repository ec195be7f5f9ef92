#include "application/requests/queries.hpp"

#include <algorithm>

#include "application/requests/unindexed_orders.hpp"

namespace sundial {
namespace {

NotFound absent(Noun noun, std::string_view reference) { return {noun, std::string{reference}}; }

/// The id of `reference`; external ids are looked up in `repository`.
template <class Id, class Repository>
LookupResult<Id> read(Repository& repository, Noun noun, std::string_view reference) {
    if (reference.starts_with(external_prefix)) {
        const auto id = repository.id_of(reference.substr(external_prefix.size()));
        if (!id) return absent(noun, reference);
        return *id;
    }
    const auto uuid = base::parse_uuid(reference);
    if (!uuid) return absent(noun, reference);
    return Id{*uuid};
}

/// The same for many, with one lookup.
template <class Id, class Repository>
std::map<std::string, Id> read_all(Repository& repository,
                                   const std::set<std::string>& references) {
    std::map<std::string, Id> ids;
    std::vector<std::string> external_ids;
    for (const std::string& reference : references) {
        if (reference.starts_with(external_prefix)) {
            external_ids.push_back(reference.substr(external_prefix.size()));
        } else if (const auto uuid = base::parse_uuid(reference)) {
            ids.emplace(reference, Id{*uuid});
        }
    }
    if (external_ids.empty()) return ids;
    for (const auto& [external_id, id] : repository.ids_of(external_ids)) {
        ids.emplace(std::string{external_prefix} + external_id, id);
    }
    return ids;
}

}  // namespace

LookupResult<UserId> user_id(Transaction& tx, std::string_view reference) {
    return read<UserId>(tx.users(), Noun::user, reference);
}

LookupResult<ScheduleId> schedule_id(Transaction& tx, std::string_view reference) {
    return read<ScheduleId>(tx.schedules(), Noun::schedule, reference);
}

LookupResult<EndpointId> endpoint_id(Transaction& tx, std::string_view reference) {
    return read<EndpointId>(tx.endpoints(), Noun::endpoint, reference);
}

std::map<std::string, UserId> user_ids(Transaction& tx, const std::set<std::string>& references) {
    return read_all<UserId>(tx.users(), references);
}

std::map<std::string, EndpointId> endpoint_ids(Transaction& tx,
                                               const std::set<std::string>& references) {
    return read_all<EndpointId>(tx.endpoints(), references);
}

LookupResult<EventId> event_id(std::string_view reference) {
    const auto uuid = base::parse_uuid(reference);
    if (!uuid) return absent(Noun::event, reference);
    return EventId{*uuid};
}

LookupResult<OperationId> operation_id(std::string_view reference) {
    const auto uuid = base::parse_uuid(reference);
    if (!uuid) return absent(Noun::operation, reference);
    return OperationId{*uuid};
}

namespace {

/// The result of `find` for the id of `reference`, if both exist.
template <class Thing, class Read, class Find>
LookupResult<Thing> found(Store& store, Noun noun, std::string_view reference, Read read,
                          Find find) {
    return in_read(store, [&](Transaction& tx) -> LookupResult<Thing> {
        const auto id = read(tx, reference);
        if (!id) return id.error();
        auto thing = find(tx, *id);
        if (!thing) return NotFound{noun, std::string{reference}};
        return *std::move(thing);
    });
}

/// An event has at most one attempt for each delay of its policy, and those that were lost or
/// released.
constexpr std::size_t most_attempts_of_event = 10'000;

/// Events made by hand are due at once, so rarely more than these precede the next planned one.
constexpr std::size_t enough_to_find_the_next = 100;

/// When the next event by the schedule's rule is due.
std::optional<Instant> next_of(Transaction& tx, const Schedule& schedule) {
    if (!schedule.enabled) return std::nullopt;
    EventQuery first;
    first.statuses = {EventStatus::pending};
    first.schedule = schedule.id;
    first.sort = EventQuery::Sort::target;
    first.page.limit = enough_to_find_the_next;
    const auto by_rule = [](const Event& event) {
        return event.occurrence->origin == Origin::rule;
    };
    const auto page = tx.events().list(first);
    const auto next = std::ranges::find_if(page.items, by_rule);
    return next == page.items.end() ? std::nullopt : std::optional{next->due};
}

}  // namespace

LookupResult<User> Queries::user(std::string_view reference) {
    return found<User>(
        store_, Noun::user, reference,
        [](auto& tx, auto text) { return sundial::user_id(tx, text); },
        [](auto& tx, UserId id) { return tx.users().find(id); });
}

Page<User> Queries::users(const UserQuery& query) {
    return in_read(store_, [&](Transaction& tx) { return tx.users().list(query); });
}

LookupResult<Event> Queries::event(std::string_view id) {
    return found<Event>(
        store_, Noun::event, id, [](auto&, auto text) { return event_id(text); },
        [](auto& tx, EventId event) { return tx.events().find(event); });
}

Page<Event> Queries::events(const EventQuery& query) {
    return in_read(store_, [&](Transaction& tx) { return page_of_events(tx, query); });
}

std::optional<ValidationFailed> Queries::refuse_order(const EventQuery& query) {
    if (!needs_beginning(query)) return std::nullopt;  // most lists: no transaction for nothing
    return in_read(store_,
                   [&](Transaction& tx) { return sundial::refuse_order(tx.events(), query); });
}

LookupResult<std::vector<AttemptRecord>> Queries::attempts_of(std::string_view id) {
    return found<std::vector<AttemptRecord>>(
        store_, Noun::event, id, [](auto&, auto text) { return event_id(text); },
        [](auto& tx, EventId event) -> std::optional<std::vector<AttemptRecord>> {
            if (!tx.events().find(event)) return std::nullopt;
            return tx.events().attempts_of(event);
        });
}

BoundedCount Queries::count_events(const EventQuery& query) {
    return in_read(store_,
                   [&](Transaction& tx) { return tx.events().count_like(query, max_counted); });
}

namespace {

/// One query for each kind of object, and none for a kind without ids.
template <class Repository, class Id, class Thing>
void add_found(Repository& repository, const std::set<Id>& ids, std::map<Id, Thing>& found) {
    if (ids.empty()) return;
    const std::vector<Id> all{ids.begin(), ids.end()};
    for (Thing& thing : repository.find_all(all)) {
        const Id id = thing.id;
        found.emplace(id, std::move(thing));
    }
}

}  // namespace

Related Queries::related(std::span<const Event> events, const Expanded& requested) {
    std::set<UserId> users;
    std::set<ScheduleId> schedules;
    std::set<EndpointId> endpoints;
    for (const Event& event : events) {
        if (requested.users && event.user) users.insert(*event.user);
        if (requested.schedules && event.occurrence) schedules.insert(event.occurrence->schedule);
        if (requested.endpoints && event.endpoint) endpoints.insert(*event.endpoint);
    }
    return in_read(store_, [&](Transaction& tx) {
        Related found;
        add_found(tx.users(), users, found.users);
        add_found(tx.schedules(), schedules, found.schedules);
        add_found(tx.endpoints(), endpoints, found.endpoints);
        return found;
    });
}

Page<EndedAttempt> Queries::attempts(const AttemptQuery& query) {
    return in_read(store_, [&](Transaction& tx) { return tx.events().list_attempts(query); });
}

LookupResult<EndedAttempt> Queries::attempt(std::string_view id) {
    const auto absent_attempt = NotFound{Noun::attempt, std::string{id}};
    const auto dot = id.find('.');
    const auto event = event_id(id.substr(0, dot));
    if (!event || dot == std::string_view::npos) return absent_attempt;
    AttemptQuery query{.event = *event};
    query.page.limit = most_attempts_of_event;
    for (EndedAttempt& one : attempts(query).items) {
        if (to_string(one.record.event) + '.' + std::to_string(one.record.number.value) == id) {
            return std::move(one);
        }
    }
    return absent_attempt;
}

LookupResult<Endpoint> Queries::endpoint(std::string_view reference) {
    return found<Endpoint>(
        store_, Noun::endpoint, reference,
        [](auto& tx, auto text) { return sundial::endpoint_id(tx, text); },
        [](auto& tx, EndpointId id) { return tx.endpoints().find(id); });
}

Page<Endpoint> Queries::endpoints(const EndpointQuery& query) {
    return in_read(store_, [&](Transaction& tx) { return tx.endpoints().list(query); });
}

Circuits Queries::circuits(std::span<const EndpointId> endpoints) {
    return in_read(store_, [&](Transaction& tx) {
        const auto found = tx.circuits().find_all(endpoints);
        Circuits answer{{}, tx.now()};
        for (const EndpointId id : endpoints) {
            const auto circuit = std::ranges::find(found, id, &Circuit::endpoint);
            answer.circuits.push_back(circuit == found.end() ? Circuit{.endpoint = id} : *circuit);
        }
        return answer;
    });
}

std::vector<NamedCircuit> Queries::circuits(std::size_t limit) {
    return in_read(store_, [&](Transaction& tx) {
        const auto circuits = tx.circuits().list(limit);
        std::vector<EndpointId> ids;
        for (const Circuit& circuit : circuits) ids.push_back(circuit.endpoint);
        std::vector<NamedCircuit> named;
        for (const Endpoint& endpoint : tx.endpoints().find_all(ids)) {
            const auto circuit = std::ranges::find(circuits, endpoint.id, &Circuit::endpoint);
            named.push_back({endpoint, circuit->state});
        }
        return named;
    });
}

LookupResult<ScheduleView> Queries::schedule(std::string_view reference) {
    return found<ScheduleView>(
        store_, Noun::schedule, reference,
        [](auto& tx, auto text) { return sundial::schedule_id(tx, text); },
        [](auto& tx, ScheduleId id) -> std::optional<ScheduleView> {
            const auto schedule = tx.schedules().find(id);
            if (!schedule) return std::nullopt;
            return ScheduleView{*schedule, next_of(tx, *schedule)};
        });
}

Page<ScheduleView> Queries::schedules(const ScheduleQuery& query) {
    return in_read(store_, [&](Transaction& tx) {
        const auto found = tx.schedules().list(query);
        Page<ScheduleView> page{{}, found.has_more};
        for (const Schedule& schedule : found.items) {
            page.items.push_back({schedule, next_of(tx, schedule)});
        }
        return page;
    });
}

LookupResult<Operation> Queries::operation(std::string_view id) {
    return found<Operation>(
        store_, Noun::operation, id, [](auto&, auto text) { return operation_id(text); },
        [](auto& tx, OperationId operation) { return tx.operations().find(operation); });
}

Page<Operation> Queries::operations(const OperationQuery& query) {
    return in_read(store_, [&](Transaction& tx) { return tx.operations().list(query); });
}

Page<ApiKey> Queries::api_keys(const PageRequest& page) {
    return in_read(store_, [&](Transaction& tx) { return tx.api_keys().list(page); });
}

Page<Calendar> Queries::calendars(const CalendarQuery& query) {
    return in_read(store_, [&](Transaction& tx) { return tx.calendars().list(query); });
}

LookupResult<Page<NumberedFailure>> Queries::operation_failures(std::string_view id,
                                                                const PageRequest& page) {
    return found<Page<NumberedFailure>>(
        store_, Noun::operation, id, [](auto&, auto text) { return operation_id(text); },
        [&](auto& tx, OperationId operation) -> std::optional<Page<NumberedFailure>> {
            if (!tx.operations().find(operation)) return std::nullopt;
            return tx.operations().list_failures({operation, page});
        });
}

DeadLetters Queries::dead_letters(DeadLettersBy by) {
    return in_read(store_, [&](Transaction& tx) { return tx.events().dead_letters(by); });
}

LookupResult<UserId> Queries::user_id(std::string_view reference) {
    return in_read(store_, [&](Transaction& tx) { return sundial::user_id(tx, reference); });
}

LookupResult<ScheduleId> Queries::schedule_id(std::string_view reference) {
    return in_read(store_, [&](Transaction& tx) { return sundial::schedule_id(tx, reference); });
}

LookupResult<EndpointId> Queries::endpoint_id(std::string_view reference) {
    return in_read(store_, [&](Transaction& tx) { return sundial::endpoint_id(tx, reference); });
}

namespace {

/// A page of `rows`, which may be one more than `limit`.
template <class T>
Page<T> page_of_outbox(std::vector<T> rows, std::size_t limit) {
    Page<T> page{.items = std::move(rows)};
    page.has_more = page.items.size() > limit;
    if (page.has_more) page.items.pop_back();
    return page;
}

}  // namespace

Intakes Queries::intakes(const std::optional<std::string>& after, std::size_t limit) {
    return in_read(store_, [&](Transaction& tx) {
        return Intakes{page_of_outbox(tx.outboxes().list(after, limit + 1), limit), tx.now()};
    });
}

Page<RefusedRow> Queries::refused_rows(const std::string& intake, std::optional<std::int64_t> after,
                                       std::size_t limit) {
    return in_read(store_, [&](Transaction& tx) {
        return page_of_outbox(tx.outboxes().refused_after(intake, after, limit + 1), limit);
    });
}

Page<TakenRange> Queries::taken_ranges(const std::string& intake, std::optional<std::int64_t> after,
                                       std::size_t limit) {
    return in_read(store_, [&](Transaction& tx) {
        return page_of_outbox(tx.outboxes().taken_after(intake, after, limit + 1), limit);
    });
}

}  // namespace sundial
