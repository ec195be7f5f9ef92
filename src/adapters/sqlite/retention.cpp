#include "adapters/sqlite/retention.hpp"

#include "adapters/sqlite/ledger.hpp"
#include "adapters/sqlite/retention_statements.hpp"
#include "adapters/sqlite/writer.hpp"

namespace sundial::sqlite {
namespace {

/// A key's `expires_at` is this much later than the instant from which its age counts
/// (event_statements.hpp).
constexpr std::chrono::microseconds in_expiry = std::chrono::days{400};

/// Finished events are counted, so their removal is counted too.
std::size_t forget_events(Session& session, const Statement& statement, Instant before,
                          std::size_t limit) {
    std::size_t rows = 0;
    auto row = session.connection.query(statement, before, limit);
    for (; row.next(); ++rows) {
        session.ledger.removed(standing_of_finished(row.get<EventStatus>(0)), 1);
    }
    return rows;
}

std::size_t forget_in(Session& session, Kept what, std::chrono::microseconds age,
                      std::size_t limit) {
    const Instant before = session.now - age;
    Connection& connection = session.connection;
    switch (what) {
        case Kept::completed:
            return forget_events(session, sql::forget_completed, before, limit);
        case Kept::failed:
            return forget_events(session, sql::forget_failed, before, limit);
        case Kept::attempts:
            return static_cast<std::size_t>(
                connection.execute(sql::forget_attempts, before, limit));
        case Kept::keys:
            return static_cast<std::size_t>(
                connection.execute(sql::forget_keys, before + in_expiry, limit));
        case Kept::skips:
            break;
    }
    return static_cast<std::size_t>(connection.execute(sql::forget_skips, before, limit));
}

}  // namespace

bool SqliteRetention::forget(Kept what, std::chrono::microseconds age, std::size_t limit) {
    std::size_t rows = 0;
    writer_.run([&](Session& session) {
        rows = forget_in(session, what, age, limit);
        return rows > 0;
    });
    return rows == limit;
}

}  // namespace sundial::sqlite
