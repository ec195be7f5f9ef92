#pragma once

#include "adapters/sqlite/statement.hpp"

/// SQL statements for checkpoints in the feed. ?1 is the checkpoint's name, except in `followers`.
namespace sundial::sqlite::sql {

/// ?1 limit.
inline constexpr Statement followers{R"sql(
    SELECT name, position FROM checkpoints WHERE version > 0 ORDER BY name LIMIT ?1)sql"};

inline constexpr Statement find_checkpoint{R"sql(
    SELECT position, event_id, fencing_token, holder, held_until, version
      FROM checkpoints WHERE name = ?1)sql"};
/// ?2 position, ?3 event id, ?4 fencing token, ?5 holder, ?6 held until, ?7 version.
inline constexpr Statement put_checkpoint{R"sql(
    INSERT INTO checkpoints (name, position, event_id, fencing_token, holder, held_until, version)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT DO UPDATE
       SET position = excluded.position, event_id = excluded.event_id,
           fencing_token = excluded.fencing_token, holder = excluded.holder,
           held_until = excluded.held_until, version = excluded.version)sql"};
/// ?2 position, ?3 event id, ?4 reason, ?5 attempts, ?6 time.
inline constexpr Statement park_event{R"sql(
    INSERT INTO parked_events (checkpoint, position, event_id, reason, attempts, parked_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING)sql"};
/// ?2 after this position, ?3 limit.
inline constexpr Statement parked_of_checkpoint{R"sql(
    SELECT position, event_id, reason, attempts, parked_at FROM parked_events
     WHERE checkpoint = ?1 AND position > ?2 ORDER BY position LIMIT ?3)sql"};
/// ?2 position.
inline constexpr Statement unpark_event{R"sql(
    DELETE FROM parked_events WHERE checkpoint = ?1 AND position = ?2)sql"};

}  // namespace sundial::sqlite::sql
