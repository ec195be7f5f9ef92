#include "application/ports/tz_repository.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/event_batches.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/statement.hpp"
#include "adapters/postgres/tz_sql.hpp"

namespace sundial::postgres {
namespace {

class PostgresTzRepository final : public TzRepository {
public:
    explicit PostgresTzRepository(Session& session) : session_{session} {}

    std::vector<ComputedWith> computed_with() override {
        std::vector<Call> calls;
        if (session_.distributed()) {
            for (std::uint32_t shard = 0; shard < session_.shards(); ++shard) {
                calls.emplace_back(sql::computed_with_in_shard, static_cast<std::int16_t>(shard));
            }
        } else {
            calls.emplace_back(sql::computed_with);
        }
        // byte by byte, independent of the database's collation
        std::set<ComputedWith> pairs;
        for (const Answer& rows : session_.run(calls)) {
            for (std::size_t row = 0; row < rows.size(); ++row) {
                pairs.insert({rows.get<std::string>(row, 0), rows.get<std::string>(row, 1)});
            }
        }
        return {pairs.begin(), pairs.end()};
    }

    std::vector<Event> list(const ComputedWith& pair, std::optional<EventId> after,
                            std::size_t limit) override {
        return events_in(session_.run(sql::list_computed_with, pair.zone, pair.release, after,
                                      static_cast<std::int64_t>(limit)));
    }

    std::vector<Event> lock(const ComputedWith& pair, std::optional<EventId> after,
                            std::size_t limit) override {
        return lock_events_computed_with(session_, pair, {after, limit});
    }

    KnownClocks known_clocks(std::string_view release) override {
        const Answer rows = session_.run(sql::known_clocks, release);
        KnownClocks known;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const auto fingerprint = static_cast<std::uint64_t>(rows.get<std::int64_t>(row, 2));
            known.emplace(rows.get<std::string>(row, 0),
                          KnownClock{rows.get<Instant>(row, 1), Fingerprint{fingerprint}});
        }
        return known;
    }

    void store_clocks(std::string_view release, const KnownClocks& clocks) override {
        using Known = KnownClocks::value_type;
        session_.run(sql::store_clocks, release, column(clocks, &Known::first),
                     column(clocks, [](const Known& one) { return one.second.since; }),
                     column(clocks, [](const Known& one) {
                         return static_cast<std::int64_t>(one.second.fingerprint.value);
                     }));
    }

    void add_move(const EventMove& move) override {
        session_.run(sql::add_move, session_.shard_of(move.event), move.event, move.version,
                     move.before, move.after, move.reason, move.at);
    }

    std::vector<EventMove> moves_of(EventId event) override {
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

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<TzRepository> make_tz_repository(Session& session) {
    return std::make_unique<PostgresTzRepository>(session);
}

}  // namespace sundial::postgres
