#pragma once

#include "adapters/sqlite/event_sql.hpp"
#include "adapters/sqlite/value.hpp"

/// SQL of the event queue and of the pull queue: peek, claim, extend, count. The writes of a claim
/// and settling use the statements of events.
namespace sundial::sqlite::sql {

/// For each priority, the next instant at which an event with an endpoint is claimable.
inline constexpr Statement peek{R"sql(
    SELECT (SELECT min(claimable_at) FROM events
             WHERE shard = 0 AND priority = 0 AND NOT pull AND obstacle IS NOT 'LIMIT'
               AND endpoint_id IS NOT NULL),
           (SELECT min(claimable_at) FROM events
             WHERE shard = 0 AND priority = 1 AND NOT pull AND obstacle IS NOT 'LIMIT'
               AND endpoint_id IS NOT NULL),
           (SELECT min(claimable_at) FROM events
             WHERE shard = 0 AND priority = 2 AND NOT pull AND obstacle IS NOT 'LIMIT'
               AND endpoint_id IS NOT NULL),
           (SELECT min(claimable_at) FROM events
             WHERE shard = 0 AND priority = 3 AND NOT pull AND obstacle IS NOT 'LIMIT'
               AND endpoint_id IS NOT NULL))sql"};
/// The same for events of type ?1 without an endpoint.
inline constexpr Statement peek_to_handle{R"sql(
    SELECT (SELECT min(claimable_at) FROM events INDEXED BY events_to_handle
             WHERE endpoint_id IS NULL AND event_type = ?1 AND priority = 0),
           (SELECT min(claimable_at) FROM events INDEXED BY events_to_handle
             WHERE endpoint_id IS NULL AND event_type = ?1 AND priority = 1),
           (SELECT min(claimable_at) FROM events INDEXED BY events_to_handle
             WHERE endpoint_id IS NULL AND event_type = ?1 AND priority = 2),
           (SELECT min(claimable_at) FROM events INDEXED BY events_to_handle
             WHERE endpoint_id IS NULL AND event_type = ?1 AND priority = 3))sql"};

/// Claimable events of one priority with an endpoint, oldest first: ?1 priority, ?2 now, ?3 limit.
inline constexpr Statement ready{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events INDEXED BY events_to_claim
     WHERE shard = 0 AND priority = ?1 AND claimable_at <= ?2 AND NOT pull
       AND obstacle IS NOT 'LIMIT' AND endpoint_id IS NOT NULL
     ORDER BY claimable_at LIMIT ?3)sql"};
/// The same for events of type ?4 without an endpoint.
inline constexpr Statement ready_to_handle{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events INDEXED BY events_to_handle
     WHERE endpoint_id IS NULL AND event_type = ?4 AND priority = ?1 AND claimable_at <= ?2
     ORDER BY claimable_at LIMIT ?3)sql"};

/// The same in the line of endpoint ?4.
inline constexpr Statement ready_in_line{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events INDEXED BY events_in_line
     WHERE endpoint_id = ?4 AND priority = ?1 AND claimable_at <= ?2 AND obstacle = 'LIMIT'
     ORDER BY claimable_at LIMIT ?3)sql"};
/// Event ?1 joins the line of its endpoint.
inline constexpr Statement join_line{"UPDATE events SET obstacle = 'LIMIT' WHERE id = ?1"};
/// The first event of each line and priority. Goes from line to line in the index, however many
/// events each has.
inline constexpr Statement peek_at_lines{R"sql(
    WITH RECURSIVE line(endpoint_id) AS (
        SELECT min(endpoint_id) FROM events INDEXED BY events_in_line WHERE obstacle = 'LIMIT'
        UNION ALL
        SELECT (SELECT min(events.endpoint_id) FROM events INDEXED BY events_in_line
                 WHERE events.endpoint_id > line.endpoint_id AND obstacle = 'LIMIT')
          FROM line WHERE line.endpoint_id IS NOT NULL)
    SELECT endpoint_id, priority, first FROM (
        SELECT line.endpoint_id, priority.column1 AS priority,
               (SELECT min(claimable_at) FROM events INDEXED BY events_in_line
                 WHERE events.endpoint_id = line.endpoint_id AND events.priority = priority.column1
                   AND obstacle = 'LIMIT') AS first
          FROM line CROSS JOIN (VALUES (0), (1), (2), (3)) AS priority
         WHERE line.endpoint_id IS NOT NULL)
     WHERE first IS NOT NULL)sql"};
/// Endpoints with limits that instances must request permits from. Pull workers request their own.
inline constexpr Statement limited_endpoints{R"sql(
    SELECT id FROM endpoints
     WHERE (rate_per_second IS NOT NULL OR max_in_flight IS NOT NULL) AND type <> 'PULL')sql"};

/// As `ready`, for the workers of PULL endpoint ?4.
inline constexpr Statement ready_to_pull{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events INDEXED BY events_to_pull
     WHERE endpoint_id = ?4 AND priority = ?1 AND claimable_at <= ?2 AND pull
     ORDER BY claimable_at LIMIT ?3)sql"};
/// The next instant at which an event of priority ?1 is claimable for the workers of endpoint ?2.
/// ?3 never.
inline constexpr Statement peek_to_pull{R"sql(
    SELECT min(claimable_at) FROM events INDEXED BY events_to_pull
     WHERE endpoint_id = ?2 AND priority = ?1 AND claimable_at < ?3 AND pull)sql"};
/// Number of events of PULL endpoint ?1 that its workers hold. ?2 now.
inline constexpr Statement held_by_workers{R"sql(
    SELECT count(*) FROM events INDEXED BY events_held_by_workers
     WHERE endpoint_id = ?1 AND pull AND claimed_by IS NOT NULL AND claimable_at > ?2)sql"};

/// Events of lane ?4 that were missed before ?1, and are unclaimed or were claimed with a lease
/// that ended by ?2: their number, and their earliest and latest due instants. ?3 never.
inline constexpr Statement backlog{R"sql(
    SELECT count(*), min(due), max(due) FROM (
        SELECT due FROM events INDEXED BY events_pending_by_due
         WHERE status = 'PENDING' AND due < ?1 AND due + jitter < ?1 AND created_at < ?1
           AND NOT pull AND claimable_at < ?3
           AND iif(endpoint_id IS NULL, event_type, '') = ?4 AND (retry_of IS NULL OR attempt = 0)
        UNION ALL
        SELECT due FROM events INDEXED BY events_under_way_by_due
         WHERE status = 'PROCESSING' AND due < ?1 AND due + jitter < ?1 AND created_at < ?1
           AND NOT pull AND claimable_at < ?3
           AND iif(endpoint_id IS NULL, event_type, '') = ?4 AND (retry_of IS NULL OR attempt = 0)
           AND first_attempt_at IS NULL AND (claimed_by IS NULL OR claimable_at <= ?2)))sql"};
/// The due instant of the first event of lane ?4, due at ?1 or later, that was missed before ?2. ?3
/// never.
inline constexpr Statement first_missed{R"sql(
    SELECT min(due) FROM (
        SELECT * FROM (
            SELECT due FROM events INDEXED BY events_pending_by_due
             WHERE status = 'PENDING' AND due >= ?1 AND due < ?2 AND due + jitter < ?2
               AND created_at < ?2 AND NOT pull AND claimable_at < ?3
               AND iif(endpoint_id IS NULL, event_type, '') = ?4 AND (retry_of IS NULL OR attempt = 0)
             ORDER BY due LIMIT 1)
        UNION ALL
        SELECT * FROM (
            SELECT due FROM events INDEXED BY events_under_way_by_due
             WHERE status = 'PROCESSING' AND due >= ?1 AND due < ?2 AND due + jitter < ?2
               AND created_at < ?2 AND NOT pull AND claimable_at < ?3
               AND iif(endpoint_id IS NULL, event_type, '') = ?4 AND (retry_of IS NULL OR attempt = 0) AND first_attempt_at IS NULL
             ORDER BY due LIMIT 1)))sql"};
/// Number of events of priority ?1 with an endpoint that are claimable by ?2, and the first such
/// instant, from the index alone.
inline constexpr Statement due{R"sql(
    SELECT count(*), min(claimable_at)
      FROM events INDEXED BY events_to_claim
     WHERE shard = 0 AND priority = ?1 AND claimable_at <= ?2 AND NOT pull
       AND obstacle IS NOT 'LIMIT' AND endpoint_id IS NOT NULL)sql"};
/// Number of events without an endpoint that are claimable by ?1.
inline constexpr Statement due_to_handle{R"sql(
    SELECT count(*) FROM events INDEXED BY events_to_handle
     WHERE endpoint_id IS NULL AND priority IN (0, 1, 2, 3) AND claimable_at <= ?1
       AND event_type IN ()sql" SUNDIAL_TYPES_TO_HANDLE ")"};
/// Events that pull workers of any endpoint could claim up to ?1, counted endpoint by endpoint.
inline constexpr Statement due_to_pull{R"sql(
    SELECT count(*), min(event.claimable_at)
      FROM endpoints AS its
     CROSS JOIN (VALUES (0), (1), (2), (3)) AS priority
     CROSS JOIN events AS event INDEXED BY events_to_pull
     WHERE its.type = 'PULL' AND event.endpoint_id = its.id AND event.priority = priority.column1
       AND event.pull AND event.claimable_at <= ?1)sql"};

/// Limited, because an exact count of millions would take too long.
inline constexpr Statement dead_letters{R"sql(
    SELECT count(*) FROM (
        SELECT 1 FROM event_history
         WHERE status = 'FAILED' AND dismissed_at IS NULL LIMIT 100000))sql"};

/// The number of events deferred by each obstacle, and how many of them are PENDING.
inline constexpr Statement blocked{R"sql(
    SELECT obstacle, count(*), sum(status = 'PENDING') FROM events INDEXED BY events_held_up
     WHERE obstacle IS NOT NULL GROUP BY obstacle)sql"};
/// Extends the lease of ?1 to ?3 if it is still held. Changes no version.
inline constexpr Statement extend{R"sql(
    UPDATE events SET claimable_at = ?3
     WHERE id = ?1 AND version = ?2 AND claimed_by IS NOT NULL)sql"};

}  // namespace sundial::sqlite::sql
