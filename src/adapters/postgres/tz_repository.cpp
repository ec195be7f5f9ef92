#include "adapters/postgres/tz_repository.hpp"

#include <algorithm>
#include <cstdint>

#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/tz_statements.hpp"

namespace sundial::postgres {

std::vector<ComputedWith> PostgresTzRepository::computed_with() {
    const Answer rows = session_.run(sql::computed_with);
    std::vector<ComputedWith> pairs;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        pairs.push_back({rows.get<std::string>(row, 0), rows.get<std::string>(row, 1)});
    }
    std::ranges::sort(pairs);  // byte by byte, independent of the database's collation
    return pairs;
}

std::vector<Event> PostgresTzRepository::list(const ComputedWith& pair,
                                              std::optional<EventId> after, std::size_t limit) {
    return events_in(session_.run(sql::list_computed_with, pair.zone, pair.release, after,
                                  static_cast<std::int64_t>(limit)));
}

std::vector<Event> PostgresTzRepository::lock(const ComputedWith& pair,
                                              std::optional<EventId> after, std::size_t limit) {
    return events_in(session_.run(sql::lock_computed_with, pair.zone, pair.release, after,
                                  static_cast<std::int64_t>(limit)));
}

KnownClocks PostgresTzRepository::known_clocks(std::string_view release) {
    const Answer rows = session_.run(sql::known_clocks, release);
    KnownClocks known;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto fingerprint = static_cast<std::uint64_t>(rows.get<std::int64_t>(row, 2));
        known.emplace(rows.get<std::string>(row, 0),
                      KnownClock{rows.get<Instant>(row, 1), Fingerprint{fingerprint}});
    }
    return known;
}

void PostgresTzRepository::store_clocks(std::string_view release, const KnownClocks& clocks) {
    std::vector<std::string> zones;
    std::vector<Instant> since;
    std::vector<std::int64_t> fingerprints;
    for (const auto& [zone, clock] : clocks) {
        zones.push_back(zone);
        since.push_back(clock.since);
        fingerprints.push_back(static_cast<std::int64_t>(clock.fingerprint.value));
    }
    session_.run(sql::store_clocks, release, zones, since, fingerprints);
}

void PostgresTzRepository::add_move(const EventMove& move) {
    session_.run(sql::add_move, session_.shard_of(move.event), move.event, move.version,
                 move.before, move.after, move.reason, move.at);
}

std::vector<EventMove> PostgresTzRepository::moves_of(EventId event) {
    const Answer rows = session_.run(sql::moves_of_event, session_.shard_of(event), event);
    std::vector<EventMove> moves;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        moves.push_back({.event = event,
                         .version = rows.get<Version>(row, 0),
                         .before = rows.get<Instant>(row, 1),
                         .after = rows.get<Instant>(row, 2),
                         .reason = rows.get<std::string>(row, 3),
                         .at = rows.get<Instant>(row, 4)});
    }
    return moves;
}

}  // namespace sundial::postgres
