#pragma once

#include "adapters/sqlite/event_sql.hpp"

/// Begins with the condition of the partial index events_computed_with. The retry of an attempted
/// event does not follow releases.
#define SUNDIAL_FOLLOWS_RELEASES \
    "status = 'PENDING' AND wall IS NOT NULL AND (retry_of IS NULL OR attempt = 0)"

/// SQL statements for the port TzRepository.
namespace sundial::sqlite::sql {

/// The pair after (?1, ?2).
inline constexpr Statement next_computed_with{
    "SELECT zone, tz_release FROM events INDEXED BY events_computed_with "
    "WHERE " SUNDIAL_FOLLOWS_RELEASES R"sql( AND (zone, tz_release) > (?1, ?2)
     ORDER BY zone, tz_release LIMIT 1)sql"};
/// ?1 zone, ?2 release, ?3 after this id, or null, ?4 limit.
inline constexpr Statement events_computed_with{"SELECT " SUNDIAL_LIVE_EVENT
                                                " FROM events INDEXED BY events_computed_with "
                                                "WHERE " SUNDIAL_FOLLOWS_RELEASES
                                                R"sql( AND zone = ?1 AND tz_release = ?2
       AND id > coalesce(?3, x'')
     ORDER BY id LIMIT ?4)sql"};

inline constexpr Statement known_clocks{
    "SELECT zone, since, fingerprint FROM tz_fingerprints WHERE release = ?1"};
inline constexpr Statement store_clock{R"sql(
    INSERT INTO tz_fingerprints (release, zone, since, fingerprint) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (release, zone) DO UPDATE SET since = ?3, fingerprint = ?4)sql"};

inline constexpr Statement add_move{R"sql(
    INSERT INTO event_moves (event_id, version, before, after, reason, moved_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6))sql"};
inline constexpr Statement moves_of_event{R"sql(
    SELECT version, before, after, reason, moved_at
      FROM event_moves WHERE event_id = ?1 ORDER BY version)sql"};
inline constexpr Statement remove_moves{"DELETE FROM event_moves WHERE event_id = ?1"};
inline constexpr Statement erase_moves_of_user{R"sql(
    DELETE FROM event_moves
     WHERE event_id IN (SELECT id FROM event_history WHERE user_id = ?1))sql"};

}  // namespace sundial::sqlite::sql
