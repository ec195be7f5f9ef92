#include "adapters/postgres/event_batches.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "adapters/postgres/event_batches_sql.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/statement.hpp"

namespace sundial::postgres {
namespace {

using FoundIds = std::vector<EventId>;

/// The answers of the calls that `append(calls, shard, ids)` appends for each shard of the events,
/// in one round trip. The ids of a shard are ascending.
template <class Append>
std::vector<Answer> run_in_their_shards(Session& session, FoundIds ids, Append append) {
    if (ids.empty()) return {};
    std::ranges::sort(ids);
    const auto repeated = std::ranges::unique(ids);
    ids.erase(repeated.begin(), repeated.end());
    std::map<std::int16_t, FoundIds> parts;
    for (const EventId& id : ids) parts[session.shard_of(id)].push_back(id);
    std::vector<Call> calls{Call{sql::look_up_rows}};
    for (const auto& [shard, some] : parts) append(calls, shard, some);
    auto answers = session.run_with_settings(calls);
    answers.erase(answers.begin());
    return answers;
}

/// `lock(calls, shard, ids)` appends a call that returns events.
template <class Lock>
std::vector<Event> lock_found(Session& session, FoundIds ids, Lock lock) {
    std::vector<Event> locked;
    for (const Answer& rows : run_in_their_shards(session, std::move(ids), lock)) {
        std::ranges::move(events_in(rows), std::back_inserter(locked));
    }
    std::ranges::sort(locked, {}, &Event::id);
    return locked;
}

/// Locks what `find(page)` finds. Looks again if some were changed meanwhile: fewer than the limit
/// means that there are no more.
template <class Find, class Lock>
std::vector<Event> lock_page(Session& session, IdPage page, Find find, Lock lock) {
    std::vector<Event> locked;
    for (bool more = true; more && page.limit > 0;) {
        const FoundIds ids = find(page);
        more = ids.size() == page.limit;
        if (more) page.after = ids.back();
        auto some = lock_found(session, ids, lock);
        page.limit -= some.size();
        std::ranges::move(some, std::back_inserter(locked));
    }
    return locked;
}

/// Changes at most `limit` of the events that `find(limit)` finds. Returns their number. Looks
/// again as above; changed events are not found again.
template <class Find, class Change>
std::size_t change_up_to(Session& session, std::size_t limit, Find find, Change change) {
    std::size_t changed = 0;
    for (bool more = true; more && changed < limit;) {
        const std::size_t wanted = limit - changed;
        const FoundIds ids = find(wanted);
        for (const Answer& rows : run_in_their_shards(session, ids, change)) {
            changed += rows.changed();
        }
        more = ids.size() == wanted;
    }
    return changed;
}

/// Live and finished. An event that ends meanwhile is found as a live one.
FoundIds all_of_user(Session& session, UserId user) {
    const std::array calls{Call{sql::find_events_of_user, user},
                           Call{sql::find_finished_of_user, user}};
    FoundIds ids;
    for (const Answer& rows : session.run(calls)) {
        std::ranges::copy(column_of<EventId>(rows, 0), std::back_inserter(ids));
    }
    return ids;
}

/// At most `limit` of all shards, asked in one round trip.
FoundIds parked_of_none(Session& session, std::size_t limit) {
    std::vector<Call> calls;
    calls.reserve(calls.size() + session.shards());
    for (std::uint32_t shard = 0; shard < session.shards(); ++shard) {
        calls.emplace_back(sql::find_parked_of_none, static_cast<std::int16_t>(shard),
                           static_cast<std::int64_t>(limit));
    }
    FoundIds ids;
    for (const Answer& rows : session.run(calls)) {
        std::ranges::copy(column_of<EventId>(rows, 0), std::back_inserter(ids));
    }
    if (ids.size() > limit) ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(limit), ids.end());
    return ids;
}

}  // namespace

std::vector<Event> lock_events_of_user(Session& session, UserId user) {
    const Answer found = session.run(sql::find_events_of_user, user);
    return lock_found(session, column_of<EventId>(found, 0),
                      [user](std::vector<Call>& calls, std::int16_t shard, const FoundIds& ids) {
                          calls.emplace_back(sql::lock_events_of_user, shard, ids, user);
                      });
}

namespace {

/// Locks the events of the user, and then runs the statements on them, in their order. A single
/// statement that waited for a claim would not see the row as the claim left it.
void change_all_of_user(Session& session, UserId user,
                        std::initializer_list<const Statement*> statements) {
    (void)run_in_their_shards(
        session, all_of_user(session, user),
        [&](std::vector<Call>& calls, std::int16_t shard, const FoundIds& ids) {
            calls.emplace_back(sql::lock_events_of_user, shard, ids, user);
            for (const Statement* each : statements) calls.emplace_back(*each, shard, ids, user);
        });
}

}  // namespace

void erase_events_of_user(Session& session, UserId user) {
    change_all_of_user(session, user, {&sql::erase_events_of_user, &sql::forget_user_of_events});
}

void forget_user_of_events(Session& session, UserId user) {
    change_all_of_user(session, user, {&sql::forget_user_of_events});
}

std::vector<Event> lock_events_behind(Session& session, ScheduleId schedule, Version version,
                                      IdPage page) {
    return lock_page(
        session, page,
        [&](const IdPage& rest) {
            const Answer found = session.run(sql::find_events_behind, schedule, version, rest.after,
                                             static_cast<std::int64_t>(rest.limit));
            return column_of<EventId>(found, 0);
        },
        [&](std::vector<Call>& calls, std::int16_t shard, const FoundIds& ids) {
            calls.emplace_back(sql::lock_events_behind, shard, ids, schedule, version);
        });
}

std::vector<Event> lock_events_computed_with(Session& session, const ComputedWith& pair,
                                             IdPage page) {
    return lock_page(
        session, page,
        [&](const IdPage& rest) {
            const Answer found = session.run(sql::find_computed_with, pair.zone, pair.release,
                                             rest.after, static_cast<std::int64_t>(rest.limit));
            return column_of<EventId>(found, 0);
        },
        [&](std::vector<Call>& calls, std::int16_t shard, const FoundIds& ids) {
            calls.emplace_back(sql::lock_computed_with, shard, ids, pair.zone, pair.release);
        });
}

std::size_t unpark_events(Session& session, std::optional<EndpointId> endpoint, std::size_t limit) {
    return change_up_to(
        session, limit,
        [&](std::size_t wanted) {
            if (!endpoint) return parked_of_none(session, wanted);
            const Answer found =
                session.run(sql::find_parked, *endpoint, static_cast<std::int64_t>(wanted));
            return column_of<EventId>(found, 0);
        },
        [&](std::vector<Call>& calls, std::int16_t shard, const FoundIds& ids) {
            calls.emplace_back(sql::unpark_events, shard, ids, endpoint, session.now());
        });
}

std::size_t expedite_events(Session& session, EndpointId endpoint, WaitReason reason,
                            std::size_t limit) {
    return change_up_to(
        session, limit,
        [&](std::size_t wanted) {
            const Answer found = session.run(sql::find_waiting, endpoint, to_string(reason),
                                             session.now(), static_cast<std::int64_t>(wanted));
            return column_of<EventId>(found, 0);
        },
        [&](std::vector<Call>& calls, std::int16_t shard, const FoundIds& ids) {
            calls.emplace_back(sql::expedite_events, shard, ids, endpoint, to_string(reason),
                               session.now());
        });
}

}  // namespace sundial::postgres
