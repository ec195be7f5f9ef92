#include "adapters/sqlite/event_list.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "adapters/sqlite/event_list_sql.hpp"
#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/rows.hpp"
#include "base/json.hpp"

namespace sundial::sqlite {
namespace {

/// The two statements of one order, ascending and descending.
struct Directions {
    const Statement* up;
    const Statement* down;
};
struct Order {
    Directions all;
    Directions of_user;
    Directions with_key;
};

const Order& order_of(EventQuery::Sort sort) {
    static constexpr std::array<Order, 4> orders{{
        {{&sql::events_by_target, &sql::events_by_target_down},
         {&sql::events_by_target_of_user, &sql::events_by_target_of_user_down},
         {&sql::events_by_target_with_key, &sql::events_by_target_with_key_down}},
        {{&sql::events_by_execution, &sql::events_by_execution_down},
         {&sql::events_by_execution_of_user, &sql::events_by_execution_of_user_down},
         {&sql::events_by_execution_with_key, &sql::events_by_execution_with_key_down}},
        {{&sql::events_by_creation, &sql::events_by_creation_down},
         {&sql::events_by_creation_of_user, &sql::events_by_creation_of_user_down},
         {&sql::events_by_creation_with_key, &sql::events_by_creation_with_key_down}},
        {{&sql::events_by_lateness, &sql::events_by_lateness_down},
         {&sql::events_by_lateness_of_user, &sql::events_by_lateness_of_user_down},
         {&sql::events_by_lateness_with_key, &sql::events_by_lateness_with_key_down}},
    }};
    return orders.at(static_cast<std::size_t>(sort));
}

const Statement& statement_for(const EventQuery& query) {
    const Order& order = order_of(query.sort);
    const Directions& directions = query.key    ? order.with_key
                                   : query.user ? order.of_user
                                                : order.all;
    return query.page.descending ? *directions.down : *directions.up;
}

/// The argument of a filter with several values; empty for no filter.
std::optional<std::string> any_of(const std::vector<std::string>& requested) {
    return requested.empty() ? std::nullopt : std::optional{array_of(requested)};
}
template <class Enum>
std::optional<std::string> any_of(const std::vector<Enum>& requested) {
    std::vector<std::string> names;
    names.reserve(requested.size());
    for (const Enum value : requested) names.emplace_back(to_string(value));
    return any_of(names);
}
std::optional<std::string> any_of(const std::vector<Priority>& requested) {
    if (requested.empty()) return std::nullopt;
    base::JsonWriter json;
    json.begin_array();
    for (const Priority priority : requested) json.value(static_cast<int>(priority));
    return std::move(json.end_array()).text();
}

/// Runs `query` for page `page`; `others` for the statements that take more parameters.
template <class... Others>
Cursor run(Connection& connection, const Statement& statement, const EventQuery& query,
           const PageRequest& page, const Others&... others) {
    const IdRange ids = ids_with(query.prefix);
    return connection.query(statement, any_of(query.statuses), any_of(query.priorities),
                            any_of(query.types), any_of(query.zones), query.user, query.schedule,
                            query.endpoint, query.target_from, query.target_to, query.executed_from,
                            query.executed_to, query.late_execution, query.dismissed, query.key,
                            query.prefix, ids.first, ids.last, id_after(page), number_after(page),
                            limit_of(page), query.reason, any_of(query.waiting_for), others...);
}

bool dead_letters_suffice(const EventWalk& walk) { return walk.filter.dismissed == false; }

const Statement& parts_of(const EventWalk& walk) {
    if (walk.through == EventWalk::Through::live) return sql::walk_live;
    return dead_letters_suffice(walk) ? sql::walk_dead_letters : sql::walk_failed;
}
const Statement& count_of(const EventWalk& walk) {
    if (walk.through == EventWalk::Through::live) return sql::count_live;
    return dead_letters_suffice(walk) ? sql::count_dead_letters : sql::count_failed;
}

/// Ends with the bytes that a page may have.
Page<Event> page_in(Cursor row, const PageRequest& request) {
    Page<Event> page;
    std::size_t bytes = 0;
    while (row.next()) {
        page.has_more = page.items.size() == request.limit || bytes >= max_page_bytes;
        if (page.has_more) break;
        page.items.push_back(read_event(row));
        bytes += page.items.back().payload.size();
    }
    return page;
}

/// The place of the last event that a page may pass; empty if there are fewer.
std::optional<PageKey> last_to_pass(Connection& connection, const EventQuery& query) {
    if (!query.max_passed || !passes_rows(query)) return std::nullopt;
    const bool by_target = query.sort == EventQuery::Sort::target;
    const Directions by_due{&sql::passed_by_target, &sql::passed_by_target_down};
    const Directions by_id{&sql::passed_by_creation, &sql::passed_by_creation_down};
    const Directions& directions = by_target ? by_due : by_id;
    const Statement& statement = query.page.descending ? *directions.down : *directions.up;
    auto row =
        connection.query(statement, any_of(query.statuses), query.target_from, query.target_to,
                         id_after(query.page), number_after(query.page), *query.max_passed - 1);
    if (!row.next()) return std::nullopt;
    return PageKey{by_target ? std::to_string(row.get<std::int64_t>(1)) : "", row.get<Uuid>(0)};
}

/// A page in the order of an index.
Page<Event> walked_page(Connection& connection, const EventQuery& query) {
    auto last = last_to_pass(connection, query);
    PageRequest end;
    end.after = last;
    Page<Event> page = page_in(
        run(connection, statement_for(query), query, query.page, id_after(end), number_after(end)),
        query.page);
    if (last && !page.has_more) {
        page.has_more = true;
        page.passed = std::move(last);
    }
    return page;
}

}  // namespace

Page<Event> list_events(Session& session, const EventQuery& query) {
    const bool few = query.key || query.user;
    const bool by_index =
        query.sort == EventQuery::Sort::target || query.sort == EventQuery::Sort::created_at;
    if (by_index && !few) return walked_page(session.connection, query);
    return page_in(run(session.connection, statement_for(query), query, query.page), query.page);
}

BoundedCount count_like(Session& session, const EventQuery& query, std::size_t most) {
    const EventQuery counted = to_count(query, most);
    const bool few = query.key || query.user;
    const auto last = few ? std::nullopt : last_to_pass(session.connection, counted);
    PageRequest end;
    end.after = last;
    BoundedCount found;
    const auto step = [&](Cursor&& row) {
        while (found.count <= most && row.next()) ++found.count;
    };
    if (few) {
        step(run(session.connection, statement_for(counted), counted, counted.page));
    } else {
        step(run(session.connection, statement_for(counted), counted, counted.page, id_after(end),
                 number_after(end)));
    }
    found.complete = found.count <= most && !last;
    found.count = std::min<std::uint64_t>(found.count, most);
    return found;
}

PlannedCounts count_planned(Connection& connection, const PlannedQuery& query) {
    PlannedCounter counter{query};
    auto row = connection.query(sql::planned, query.from, query.to, query.most + 1);
    while (row.next()) {
        const auto zone = row.get<std::string>(5);
        counter.add({.id = row.get<EventId>(0),
                     .due = row.get<Instant>(1),
                     .target = row.get<Instant>(2),
                     .paused = row.get<bool>(3),
                     .of_rule = row.get<bool>(4),
                     .zone = zone,
                     .endpoint = row.get<std::optional<EndpointId>>(6)});
    }
    return std::move(counter).result();
}

std::size_t count_ended(Connection& connection, Instant from, std::optional<Instant> to,
                        std::size_t most) {
    return count_in(connection.query(sql::count_ended, from, to, most + 1));
}

std::size_t count_executed(Connection& connection, Instant from, std::optional<Instant> to,
                           std::size_t most) {
    return count_in(connection.query(sql::count_executed, from, to, most + 1));
}

std::vector<Event> walk_events(Connection& connection, const EventWalk& walk) {
    return page_of(all_of(run(connection, parts_of(walk), walk.filter, walk.page, walk.until),
                          read_event),
                   walk.page)
        .items;
}

std::uint64_t count_events(Connection& connection, const EventWalk& walk) {
    return count_in(run(connection, count_of(walk), walk.filter, PageRequest{}, walk.until));
}

DeadLetters dead_letters(Connection& connection, DeadLettersBy by) {
    DeadLetterCounters counters{by};
    auto row = connection.query(sql::newest_dead_letters, max_dead_letters + 1);
    while (row.next()) {
        counters.add(row.get<std::string>(0), row.get<std::optional<EndpointId>>(1),
                     row.get<Instant>(2), row.get<EventId>(3));
    }
    return std::move(counters).result();
}

namespace {

EndedAttempt read_ended_attempt(Cursor& row) {
    AttemptRecord record = read_attempt(row);
    return {std::move(record), row.take<Instant>()};
}

std::optional<std::string> codes_of(const std::vector<int>& codes) {
    if (codes.empty()) return std::nullopt;
    base::JsonWriter json;
    json.begin_array();
    for (const int code : codes) json.value(code);
    return std::move(json.end_array()).text();
}

}  // namespace

Page<EndedAttempt> list_attempts(Session& session, const AttemptQuery& query) {
    Connection& connection = session.connection;
    const auto run = [&](const Statement& statement, Instant from, Instant to,
                         const auto&... of_event) {
        return all_of(
            connection.query(statement, from, to, query.endpoint, codes_of(query.status_codes),
                             number_after(query.page), id_after(query.page), any_of(query.outcomes),
                             limit_of(query.page), of_event...),
            read_ended_attempt);
    };
    return latest_attempts(query, session.now, [&](Instant from, Instant to, std::size_t most) {
        AttemptStretch stretch;
        if (query.event) {
            stretch.matches = run(sql::latest_attempts_of_event, from, to, *query.event);
            return stretch;
        }
        stretch.passed = count_in(connection.query(sql::count_attempts, from, to, most + 1));
        if (stretch.passed <= most) {
            stretch.matches = run(sql::latest_attempts, from, to);
        }
        return stretch;
    });
}

}  // namespace sundial::sqlite
