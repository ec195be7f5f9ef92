#include "application/ports/tz_repository.hpp"

#include <memory>

#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/tz_sql.hpp"

namespace sundial::sqlite {
namespace {

class SqliteTzRepository final : public TzRepository {
public:
    explicit SqliteTzRepository(Session& session) : session_{session} {}

    std::vector<ComputedWith> computed_with() override {
        const auto read = [](Cursor& row) {
            return ComputedWith{row.take<std::string>(), row.take<std::string>()};
        };
        const auto after = [&](const ComputedWith& pair) {
            return first_of(
                session_.connection.query(sql::next_computed_with, pair.zone, pair.release), read);
        };
        std::vector<ComputedWith> pairs;
        for (auto pair = after({}); pair; pair = after(*pair)) pairs.push_back(*pair);
        return pairs;
    }

    std::vector<Event> list(const ComputedWith& pair, std::optional<EventId> after,
                            std::size_t limit) override {
        return all_of(session_.connection.query(sql::events_computed_with, pair.zone, pair.release,
                                                after, limit),
                      read_event);
    }

    std::vector<Event> lock(const ComputedWith& pair, std::optional<EventId> after,
                            std::size_t limit) override {
        return list(pair, after, limit);
    }

    KnownClocks known_clocks(std::string_view release) override {
        KnownClocks known;
        auto row = session_.connection.query(sql::known_clocks, release);
        while (row.next()) {
            known.emplace(row.get<std::string>(0),
                          KnownClock{row.get<Instant>(1), row.get<Fingerprint>(2)});
        }
        return known;
    }

    void store_clocks(std::string_view release, const KnownClocks& clocks) override {
        for (const auto& [zone, clock] : clocks) {
            session_.connection.execute(sql::store_clock, release, zone, clock.since,
                                        clock.fingerprint);
        }
    }

    void add_move(const EventMove& move) override {
        session_.connection.execute(sql::add_move, move.event, move.version, move.before,
                                    move.after, move.reason, move.at);
    }

    std::vector<EventMove> moves_of(EventId event) override {
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

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<TzRepository> make_tz_repository(Session& session) {
    return std::make_unique<SqliteTzRepository>(session);
}

}  // namespace sundial::sqlite
