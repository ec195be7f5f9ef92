#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL statements for the port TzRepository. Those about events repeat the condition of the partial
/// index events_computed_with, as those in event_batches_sql.hpp do. Besides PENDING events, the
/// index contains only events in their first attempt. The retry of an attempted event does not
/// follow releases.
namespace sundial::postgres::sql {

#define SUNDIAL_COMPUTED                                                                    \
    "status = 'PENDING' AND retry_count = 0 AND wall IS NOT NULL AND (retry_of IS NULL OR " \
    "attempt = 0)"
#define SUNDIAL_COMPUTED_WITH(in_shard)                                \
    "WITH RECURSIVE pair AS ("                                         \
    " (SELECT zone, tz_release FROM sundial.events"                    \
    "   WHERE " in_shard SUNDIAL_COMPUTED                              \
    "   ORDER BY zone, tz_release LIMIT 1)"                            \
    " UNION ALL"                                                       \
    " SELECT next.zone, next.tz_release"                               \
    "   FROM pair CROSS JOIN LATERAL ("                                \
    "        SELECT zone, tz_release FROM sundial.events"              \
    "         WHERE " in_shard SUNDIAL_COMPUTED                        \
    "           AND (zone, tz_release) > (pair.zone, pair.tz_release)" \
    "         ORDER BY zone, tz_release LIMIT 1) AS next)"             \
    " SELECT zone, tz_release FROM pair"

/// Each pair once, by an index lookup of the next pair after each.
inline constexpr Statement computed_with{"computed_with", SUNDIAL_COMPUTED_WITH("")};
/// The pairs of one shard $1, on a distributed database: Citus refuses a recursion over several.
inline constexpr Statement computed_with_in_shard{"computed_with_in_shard",
                                                  SUNDIAL_COMPUTED_WITH("shard = $1 AND ")};
#undef SUNDIAL_COMPUTED_WITH
#undef SUNDIAL_COMPUTED

/// $1 zone, $2 release, $3 after this id (or null), $4 limit.
inline constexpr Statement list_computed_with{"list_computed_with", R"sql(
    SELECT * FROM sundial.events
     WHERE status = 'PENDING' AND retry_count = 0 AND wall IS NOT NULL AND (retry_of IS NULL OR attempt = 0)
       AND zone = $1 AND tz_release = $2
       AND id > coalesce($3, '00000000-0000-0000-0000-000000000000'::uuid)
     ORDER BY id LIMIT $4)sql"};

/// $1 release.
inline constexpr Statement known_clocks{"known_clocks", R"sql(
    SELECT zone, since, fingerprint FROM sundial.tz_fingerprints WHERE release = $1)sql"};

/// In the order of the zones, so that two instances cannot deadlock.
/// $1 release, $2 zones, $3 since, $4 fingerprints.
inline constexpr Statement store_clocks{"store_clocks", R"sql(
    INSERT INTO sundial.tz_fingerprints (release, zone, since, fingerprint)
    SELECT $1, zone, since, fingerprint
      FROM unnest($2::text[], $3::timestamptz[], $4::bigint[]) AS given(zone, since, fingerprint)
     ORDER BY zone
    ON CONFLICT (release, zone) DO UPDATE
       SET since = excluded.since, fingerprint = excluded.fingerprint)sql"};

/// $1 shard, $2 event, $3 version, $4 before, $5 after, $6 reason, $7 time.
inline constexpr Statement add_move{"add_move", R"sql(
    INSERT INTO sundial.event_moves (shard, event_id, version, before, after, reason, moved_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7))sql"};

/// $1 shard, $2 event.
inline constexpr Statement moves_of_event{"moves_of_event", R"sql(
    SELECT version, before, after, reason, moved_at
      FROM sundial.event_moves WHERE shard = $1 AND event_id = $2 ORDER BY version)sql"};

}  // namespace sundial::postgres::sql
