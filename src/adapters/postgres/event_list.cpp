#include "adapters/postgres/event_list.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include "adapters/postgres/event_list_sql.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/rows.hpp"
#include "application/ports/event_repository.hpp"

namespace sundial::postgres {
namespace {

template <class Value>
std::optional<std::vector<std::string>> names_if_any(const std::vector<Value>& values) {
    std::vector<std::string> names;
    names.reserve(values.size());
    for (const Value value : values) names.emplace_back(to_string(value));
    return if_any(std::move(names));
}

/// A statement whose first parameters are the filters of `query`.
template <class... Others>
Call filtered(const Statement& statement, const EventQuery& query, const Others&... others) {
    std::vector<std::int16_t> priorities;
    priorities.reserve(query.priorities.size());
    for (const Priority priority : query.priorities) {
        priorities.push_back(static_cast<std::int16_t>(priority));
    }
    return Call{statement,
                names_if_any(query.statuses),
                if_any(std::move(priorities)),
                if_any(query.types),
                if_any(query.zones),
                query.user,
                query.schedule,
                query.endpoint,
                query.target_from,
                query.target_to,
                query.executed_from,
                query.executed_to,
                query.late_execution,
                query.dismissed,
                query.key,
                query.prefix,
                query.reason,
                names_if_any(query.waiting_for),
                others...};
}

template <class... Others>
Answer run_filtered(Session& session, const Statement& statement, const EventQuery& query,
                    const Others&... others) {
    const Call call = filtered(statement, query, others...);
    return std::move(session.run({&call, 1}).front());
}

std::vector<std::int16_t> shards_of(Session& session, std::span<const EventId> ids) {
    return column(ids, [&](const EventId& id) { return session.shard_of(id); });
}

/// The current event of a key and the events that it retries, in the order of the chain. A key and
/// its events are in one shard, unless an edit has exchanged keys.
std::vector<EventId> chain_of(Session& session, const IdempotencyKey& key) {
    std::vector<EventId> chain;
    auto shard = session.shard_of(key);
    Answer rows = session.run(sql::chain_of_key, shard, key);
    for (;;) {
        const auto found = column_of<EventId>(rows, 0);
        chain.insert(chain.end(), found.begin(), found.end());
        if (found.empty() || session.shard_of(found.back()) == shard) return chain;
        shard = session.shard_of(found.back());
        chain.pop_back();  // the next answer begins with it
        rows = session.run(sql::chain_of_event, shard, found.back());
    }
}

/// The two statements of one order, ascending and descending.
struct Directions {
    const Statement* up;
    const Statement* down;
};
struct Order {
    Directions all;
    Directions sorted;  // of one user, or of a time
    Directions of_known;
};

const Order& order_of(EventQuery::Sort sort) {
    static constexpr Directions by_target{&sql::events_by_target, &sql::events_by_target_down};
    static constexpr Directions by_execution{&sql::events_by_execution,
                                             &sql::events_by_execution_down};
    static constexpr Directions by_lateness{&sql::events_by_lateness,
                                            &sql::events_by_lateness_down};
    static constexpr std::array<Order, 4> orders{{
        {by_target,
         by_target,
         {&sql::events_by_target_of_known, &sql::events_by_target_of_known_down}},
        {by_execution,
         by_execution,
         {&sql::events_by_execution_of_known, &sql::events_by_execution_of_known_down}},
        {{&sql::events_by_creation, &sql::events_by_creation_down},
         {&sql::events_by_creation_of_user, &sql::events_by_creation_of_user_down},
         {&sql::events_by_creation_of_known, &sql::events_by_creation_of_known_down}},
        {by_lateness,
         by_lateness,
         {&sql::events_by_lateness_of_known, &sql::events_by_lateness_of_known_down}},
    }};
    return orders.at(static_cast<std::size_t>(sort));
}

bool names_time_of_execution(const EventQuery& query) {
    return query.executed_from || query.executed_to;
}

const Statement& statement_for(const EventQuery& query, bool in_order) {
    const Order& order = order_of(query.sort);
    const bool sorts = query.user || (names_time_of_execution(query) && !in_order);
    const Directions& directions = query.key ? order.of_known : sorts ? order.sorted : order.all;
    return query.page.descending ? *directions.down : *directions.up;
}

/// `end`: the place at which the page ends although it is not full. `known`: the events among which
/// the statement looks, if it does.
Page<Event> page_of(Session& session, const EventQuery& query, const Statement& statement,
                    const std::optional<PageKey>& end = std::nullopt,
                    std::span<const EventId> known = {}) {
    const auto run = [&](const auto& last_value) {
        PageRequest until;
        until.after = end;
        const Answer rows = run_filtered(session, statement, query, last_id(query.page), last_value,
                                         rows_for(query.page), session.shards(),
                                         static_cast<std::int64_t>(max_page_bytes), last_id(until),
                                         last_instant(until), shards_of(session, known), known);
        const bool cut =
            !rows.empty() && rows.get<std::uint64_t>(0, *rows.column("found")) > rows.size();
        Page<Event> page = page_in(events_in(rows), query.page);
        page.has_more = page.has_more || cut;
        return page;
    };
    if (query.sort == EventQuery::Sort::lateness) return run(last_duration(query.page));
    return run(last_instant(query.page));
}

/// A page by creation of a distributed database, where no statement reads the first rows of each
/// shard. First the ids, with a statement for each shard, all in one round trip.
Page<Event> page_by_creation(Session& session, const EventQuery& query,
                             const std::optional<PageKey>& end) {
    const bool down = query.page.descending;
    PageRequest until;
    until.after = end;
    std::vector<Call> calls;
    calls.reserve(session.shards());
    for (std::uint32_t shard = 0; shard < session.shards(); ++shard) {
        calls.push_back(
            filtered(down ? sql::ids_by_creation_in_shard_down : sql::ids_by_creation_in_shard,
                     query, last_id(query.page), last_instant(query.page), rows_for(query.page),
                     session.shards(), static_cast<std::int64_t>(max_page_bytes), last_id(until),
                     last_instant(until), static_cast<std::int16_t>(shard)));
    }
    std::vector<EventId> ids;
    for (const Answer& rows : session.run(calls)) {
        std::ranges::copy(column_of<EventId>(rows, 0), std::back_inserter(ids));
    }
    std::ranges::sort(ids);
    if (down) std::ranges::reverse(ids);
    if (ids.empty()) return {};
    const bool more = ids.size() > query.page.limit;
    if (more) ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(query.page.limit), ids.end());
    Page<Event> page = page_of(
        session, query,
        down ? sql::events_by_creation_of_known_down : sql::events_by_creation_of_known, end, ids);
    if (more && !page.has_more) {
        page.has_more = true;
        page.passed = PageKey{"", ids.back().value};  // that one may have changed meanwhile
    }
    return page;
}

Page<Event> page_of_all(Session& session, const EventQuery& query, bool in_order,
                        const std::optional<PageKey>& end = std::nullopt) {
    const Statement* const statement = &statement_for(query, in_order);
    const bool by_creation =
        statement == &sql::events_by_creation || statement == &sql::events_by_creation_down;
    if (by_creation && session.distributed()) return page_by_creation(session, query, end);
    return page_of(session, query, *statement, end);
}

/// Only live events have an index by schedule and one by endpoint.
bool only_live(const EventQuery& query) {
    const auto live = [](EventStatus status) {
        return status == EventStatus::pending || status == EventStatus::processing;
    };
    return !query.statuses.empty() && std::ranges::all_of(query.statuses, live);
}

/// Whether more events ended in the time of the query than a page may pass.
bool passes_by_end(Session& session, const EventQuery& query) {
    return count_ended(session, query.executed_from.value_or(earliest_instant), query.executed_to,
                       *query.max_passed) > *query.max_passed;
}

/// Whether a page is read fastest in the order of its list. Filters that have an index of their
/// own, or match few events, are faster by that index and a sort. A list that may end early is read
/// in order unless such an index exists for all its events.
bool is_in_order(Session& session, const EventQuery& query) {
    const bool ends_early = query.max_passed && passes_rows(query);
    const bool has_index = (query.schedule || query.endpoint) && (!ends_early || only_live(query));
    if (query.key || query.user || has_index) return false;
    if (names_time_of_execution(query) && !(ends_early && passes_by_end(session, query))) {
        return false;
    }
    if (query.sort == EventQuery::Sort::target) return true;
    return query.sort == EventQuery::Sort::created_at && (query.statuses.empty() || ends_early);
}

/// As passed_by_creation finds it.
std::optional<base::Uuid> last_by_creation(Session& session, const EventQuery& query) {
    const bool down = query.page.descending;
    const auto call = [&](const Statement& statement, const auto&... of_shard) {
        return Call{statement,
                    names_if_any(query.statuses),
                    query.target_from,
                    query.target_to,
                    last_id(query.page),
                    last_instant(query.page),
                    static_cast<std::int64_t>(*query.max_passed),
                    session.shards(),
                    of_shard...};
    };
    std::vector<Call> calls;
    if (!session.distributed()) {
        calls.push_back(call(down ? sql::passed_by_creation_down : sql::passed_by_creation));
    } else {
        const Statement& in_shard =
            down ? sql::passed_by_creation_in_shard_down : sql::passed_by_creation_in_shard;
        for (std::uint32_t shard = 0; shard < session.shards(); ++shard) {
            calls.push_back(call(in_shard, static_cast<std::int16_t>(shard)));
        }
    }
    std::vector<base::Uuid> places;
    for (const Answer& rows : session.run(calls)) {
        std::ranges::copy(column_of<base::Uuid>(rows, 0), std::back_inserter(places));
    }
    if (places.empty()) return std::nullopt;
    return down ? std::ranges::max(places) : std::ranges::min(places);
}

/// The place of the last event that a page may pass; empty if there are fewer.
std::optional<PageKey> last_to_pass(Session& session, const EventQuery& query) {
    if (!query.max_passed || !passes_rows(query)) return std::nullopt;
    if (query.sort != EventQuery::Sort::target) {
        const auto id = last_by_creation(session, query);
        if (!id) return std::nullopt;
        return PageKey{"", *id};
    }
    const Answer row = session.run(
        query.page.descending ? sql::passed_by_target_down : sql::passed_by_target,
        names_if_any(query.statuses), query.target_from, query.target_to, last_id(query.page),
        last_instant(query.page), static_cast<std::int64_t>(*query.max_passed), session.shards());
    if (row.empty()) return std::nullopt;
    return PageKey{std::to_string(row.get<Instant>(0, 1).time_since_epoch().count()),
                   row.get<base::Uuid>(0, 0)};
}

}  // namespace

Page<Event> list_events(Session& session, const EventQuery& query) {
    if (query.key) {
        const auto chain = chain_of(session, *query.key);
        if (chain.empty()) return {};
        return page_of(session, query, statement_for(query, false), std::nullopt, chain);
    }
    if (!is_in_order(session, query)) {
        if (!query.user && names_time_of_execution(query)) (void)session.run(sql::find_by_end);
        return page_of_all(session, query, false);
    }
    (void)session.run(sql::walk_indexes);
    auto last = last_to_pass(session, query);
    Page<Event> page = page_of_all(session, query, true, last);
    if (last && !page.has_more) {
        page.has_more = true;
        page.passed = std::move(last);
    }
    return page;
}

BoundedCount count_like(Session& session, const EventQuery& query, std::size_t most) {
    const EventQuery counted = to_count(query, most);
    const bool in_order = is_in_order(session, counted);
    std::vector<EventId> chain;
    std::optional<PageKey> last;
    if (counted.key) chain = chain_of(session, *counted.key);
    if (in_order) {
        (void)session.run(sql::walk_indexes);
        last = last_to_pass(session, counted);
    }
    PageRequest until;
    until.after = last;
    const Statement& statement = counted.key ? sql::count_of_known
                                 : in_order  ? sql::count_by_target
                                             : sql::count_few;
    const Answer rows = run_filtered(
        session, statement, counted, last_id(counted.page), last_instant(counted.page),
        rows_for(counted.page), session.shards(), static_cast<std::int64_t>(max_page_bytes),
        last_id(until), last_instant(until), shards_of(session, chain), chain);
    const auto found = rows.get<std::uint64_t>(0, 0);
    return {std::min<std::uint64_t>(found, most), found <= most && !last};
}

PlannedCounts count_planned(Session& session, const PlannedQuery& query) {
    const auto most = static_cast<std::int64_t>(query.most);
    const std::array calls{Call{sql::walk_indexes},
                           Call{sql::planned, query.from, query.to, most, query.first_slot,
                                std::chrono::microseconds{query.slot}, query.by == PlannedBy::zone,
                                query.by == PlannedBy::endpoint},
                           Call{sql::more_planned, query.from, query.to, most}};
    const auto answers = session.run(calls);
    const Answer& groups = answers[1];
    PlannedCounts found;
    Instant last{};
    for (std::size_t row = 0; row < groups.size(); ++row) {
        last = std::max(last, groups.get<Instant>(row, 5));
        if (groups.get<bool>(row, 0)) continue;  // these wait for their schedule
        found.counts.push_back({.zone = groups.get<std::optional<std::string>>(row, 2).value_or(""),
                                .endpoint = groups.get<std::optional<EndpointId>>(row, 3),
                                .slot = groups.get<Instant>(row, 1),
                                .count = groups.get<std::uint64_t>(row, 4)});
        const auto ids = groups.get<std::optional<std::vector<EventId>>>(row, 6);
        if (ids) found.of_rules.insert(found.of_rules.end(), ids->begin(), ids->end());
    }
    if (!answers[2].empty()) found.end = last;
    return found;
}

namespace {

std::size_t count_by_end(Session& session, const Statement& statement, Instant from,
                         std::optional<Instant> to, std::size_t most) {
    (void)session.run(sql::find_by_end);
    return session.run(statement, from, to, static_cast<std::int64_t>(most) + 1)
        .get<std::uint64_t>(0, 0);
}

}  // namespace

std::size_t count_ended(Session& session, Instant from, std::optional<Instant> to,
                        std::size_t most) {
    return count_by_end(session, sql::count_ended, from, to, most);
}

std::size_t count_executed(Session& session, Instant from, std::optional<Instant> to,
                           std::size_t most) {
    return count_by_end(session, sql::count_executed, from, to, most);
}

std::vector<Event> walk_events(Session& session, const EventWalk& walk) {
    const auto run = [&](const Statement& statement, const auto& last_value) {
        return events_in(run_filtered(session, statement, walk.filter, walk.until,
                                      last_id(walk.page),
                                      static_cast<std::int64_t>(walk.page.limit), last_value));
    };
    if (walk.through == EventWalk::Through::live) {
        const auto last = last_id(walk.page);
        return run(sql::walk_live,
                   last ? std::optional{session.shard_of(EventId{*last})} : std::nullopt);
    }
    return run(walk.filter.dismissed == false ? sql::walk_dead_letters : sql::walk_failed,
               last_instant(walk.page));
}

std::uint64_t count_events(Session& session, const EventWalk& walk) {
    const bool live = walk.through == EventWalk::Through::live;
    const Statement& statement = live                             ? sql::count_live
                                 : walk.filter.dismissed == false ? sql::count_dead_letters
                                                                  : sql::count_failed;
    return run_filtered(session, statement, walk.filter, walk.until).get<std::uint64_t>(0, 0);
}

DeadLetters dead_letters(Session& session, DeadLettersBy by) {
    DeadLetterCounters counters{by};
    const auto rows =
        session.run(sql::newest_dead_letters, static_cast<std::int64_t>(max_dead_letters + 1));
    for (std::size_t row = 0; row < rows.size(); ++row) {
        counters.add(rows.get<std::string>(row, 0), rows.get<std::optional<EndpointId>>(row, 1),
                     rows.get<Instant>(row, 2), rows.get<EventId>(row, 3));
    }
    return std::move(counters).result();
}

namespace {

AttemptStretch attempt_stretch_in(const Answer& rows) {
    AttemptStretch stretch;
    if (rows.empty()) return stretch;
    stretch.passed = rows.get<std::uint64_t>(0, rows.column("read").value());
    const int event = rows.column("event_id").value();
    if (!rows.get<std::optional<EventId>>(0, event)) return stretch;
    stretch.matches = ended_attempts_in(rows);
    return stretch;
}

}  // namespace

Page<EndedAttempt> list_attempts(Session& session, const AttemptQuery& query) {
    const std::vector<std::int32_t> codes{query.status_codes.begin(), query.status_codes.end()};
    const auto run = [&](const Statement& statement, Instant from, Instant to, std::size_t most,
                         const auto&... of_event) {
        const auto counted = static_cast<std::int64_t>(most) + 1;
        return attempt_stretch_in(session.run(statement, from, to, counted, rows_for(query.page),
                                              names_if_any(query.outcomes), if_any(codes),
                                              query.endpoint, last_instant(query.page),
                                              last_id(query.page), of_event...));
    };
    if (!query.event) (void)session.run(sql::find_by_end);
    return latest_attempts(query, session.now(), [&](Instant from, Instant to, std::size_t most) {
        if (!query.event) return run(sql::latest_attempts, from, to, most);
        return run(sql::latest_attempts_of_event, from, to, most, session.shard_of(*query.event),
                   *query.event);
    });
}

}  // namespace sundial::postgres
