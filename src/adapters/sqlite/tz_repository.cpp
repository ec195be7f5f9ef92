#include "adapters/sqlite/tz_repository.hpp"

#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/tz_statements.hpp"

namespace sundial::sqlite {

std::vector<ComputedWith> SqliteTzRepository::computed_with() {
    const auto read = [](Cursor& row) {
        return ComputedWith{row.take<std::string>(), row.take<std::string>()};
    };
    const auto after = [&](const ComputedWith& pair) {
        return first_of(session_.connection.query(sql::next_computed_with, pair.zone, pair.release),
                        read);
    };
    std::vector<ComputedWith> pairs;
    for (auto pair = after({}); pair; pair = after(*pair)) pairs.push_back(*pair);
    return pairs;
}

std::vector<Event> SqliteTzRepository::list(const ComputedWith& pair, std::optional<EventId> after,
                                            std::size_t limit) {
    return all_of(
        session_.connection.query(sql::events_computed_with, pair.zone, pair.release, after, limit),
        read_event);
}

std::vector<Event> SqliteTzRepository::lock(const ComputedWith& pair, std::optional<EventId> after,
                                            std::size_t limit) {
    return list(pair, after, limit);
}

KnownClocks SqliteTzRepository::known_clocks(std::string_view release) {
    KnownClocks known;
    auto row = session_.connection.query(sql::known_clocks, release);
    while (row.next()) {
        known.emplace(row.get<std::string>(0),
                      KnownClock{row.get<Instant>(1), row.get<Fingerprint>(2)});
    }
    return known;
}

void SqliteTzRepository::store_clocks(std::string_view release, const KnownClocks& clocks) {
    for (const auto& [zone, clock] : clocks) {
        session_.connection.execute(sql::store_clock, release, zone, clock.since,
                                    clock.fingerprint);
    }
}

void SqliteTzRepository::add_move(const EventMove& move) {
    session_.connection.execute(sql::add_move, move.event, move.version, move.before, move.after,
                                move.reason, move.at);
}

std::vector<EventMove> SqliteTzRepository::moves_of(EventId event) {
    const auto read = [&](Cursor& row) {
        return EventMove{.event = event,
                         .version = row.take<Version>(),
                         .before = row.take<Instant>(),
                         .after = row.take<Instant>(),
                         .reason = row.take<std::string>(),
                         .at = row.take<Instant>()};
    };
    return all_of(session_.connection.query(sql::moves_of_event, event), read);
}

}  // namespace sundial::sqlite
