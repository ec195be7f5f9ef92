#include "adapters/postgres/retention.hpp"

#include <cstdint>
#include <string_view>

#include "adapters/postgres/migration_statements.hpp"
#include "adapters/postgres/retention_statements.hpp"

namespace sundial::postgres {
namespace {

/// A key's `expires_at` is this much later than the instant from which its age counts
/// (event_statements.hpp).
constexpr std::chrono::microseconds in_expiry = std::chrono::days{400};

std::size_t forget_events(Session& session, std::string_view kind, const Statement& rest,
                          Instant before, std::int64_t limit) {
    session.run(sql::make_history_partitions);  // for the coming months, as at startup
    session.run(sql::drop_history_partitions, kind, before);
    return session.run(rest, before, limit).changed();
}

std::size_t forget_in(Session& session, Kept what, std::chrono::microseconds age,
                      std::int64_t limit) {
    const Instant before = session.now() - age;
    switch (what) {
        case Kept::completed:
            return forget_events(session, "done", sql::forget_done, before, limit);
        case Kept::failed:
            return forget_events(session, "failed", sql::forget_failed, before, limit);
        case Kept::attempts:
            return session.run(sql::forget_attempts, before, limit).changed();
        case Kept::keys:
            return session
                .run(sql::forget_keys, before + in_expiry, limit,
                     static_cast<std::int32_t>(session.shards()))
                .changed();
        case Kept::skips:
            break;
    }
    return session.run(sql::forget_skips, before, limit).changed();
}

}  // namespace

bool PostgresRetention::forget(Kept what, std::chrono::microseconds age, std::size_t limit) {
    std::size_t rows = 0;
    database_.write("retention", [&](Session& session) {
        rows = forget_in(session, what, age, static_cast<std::int64_t>(limit));
        return true;
    });
    return rows == limit;
}

}  // namespace sundial::postgres
