#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL statements for checkpoints in the feed. $1 is the checkpoint's name, except in `followers`.
namespace sundial::postgres::sql {

/// $1 limit.
inline constexpr Statement followers{"followers", R"sql(
    SELECT name, position FROM sundial.checkpoints WHERE version > 0 ORDER BY name LIMIT $1)sql"};

#define SUNDIAL_CHECKPOINT                                                  \
    "SELECT position, event_id, fencing_token, holder, held_until, version" \
    " FROM sundial.checkpoints WHERE name = $1"
inline constexpr Statement find_checkpoint{"find_checkpoint", SUNDIAL_CHECKPOINT};
inline constexpr Statement lock_checkpoint{"lock_checkpoint", SUNDIAL_CHECKPOINT " FOR UPDATE"};
#undef SUNDIAL_CHECKPOINT
/// Does nothing if the checkpoint exists, for example because another instance has just added it.
inline constexpr Statement add_checkpoint{"add_checkpoint", R"sql(
    INSERT INTO sundial.checkpoints (name) VALUES ($1) ON CONFLICT DO NOTHING)sql"};
/// $2 position, $3 event id, $4 fencing token, $5 holder, $6 held until, $7 version. Returns the
/// transaction id.
inline constexpr Statement put_checkpoint{"put_checkpoint", R"sql(
    UPDATE sundial.checkpoints
       SET position = $2, event_id = $3, fencing_token = $4, holder = $5, held_until = $6,
           version = $7
     WHERE name = $1
    RETURNING pg_current_xact_id()::text)sql"};
/// Finds the row that `put_checkpoint` wrote, or the row it would have changed. $2 version.
inline constexpr Statement checkpoint_at{"checkpoint_at", R"sql(
    SELECT FROM sundial.checkpoints WHERE name = $1 AND version = $2)sql"};

/// $2 position, $3 event id, $4 reason, $5 attempts, $6 time.
inline constexpr Statement park_event{"park_event", R"sql(
    INSERT INTO sundial.parked_events (checkpoint, position, event_id, reason, attempts, parked_at)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING)sql"};
/// $2 after this position, $3 limit.
inline constexpr Statement parked_events{"parked_events", R"sql(
    SELECT position, event_id, reason, attempts, parked_at FROM sundial.parked_events
     WHERE checkpoint = $1 AND position > $2 ORDER BY position LIMIT $3)sql"};
/// $2 position.
inline constexpr Statement unpark_event{"unpark_event", R"sql(
    DELETE FROM sundial.parked_events WHERE checkpoint = $1 AND position = $2)sql"};

}  // namespace sundial::postgres::sql
