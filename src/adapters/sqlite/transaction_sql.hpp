#pragma once

#include "adapters/sqlite/event_sql.hpp"
#include "adapters/sqlite/value.hpp"

/// SQL of transactions and of the database's settings and counters.
namespace sundial::sqlite::sql {

inline constexpr Statement begin_write{"BEGIN IMMEDIATE"};
inline constexpr Statement begin_read{"BEGIN DEFERRED"};
inline constexpr Statement commit{"COMMIT"};
inline constexpr Statement rollback{"ROLLBACK"};
inline constexpr Statement savepoint{"SAVEPOINT part"};
inline constexpr Statement release_savepoint{"RELEASE part"};
inline constexpr Statement rollback_to_savepoint{"ROLLBACK TO part"};

inline constexpr Statement setting{"SELECT value FROM settings WHERE name = ?1"};
inline constexpr Statement set_setting{"UPDATE settings SET value = ?2 WHERE name = ?1"};
inline constexpr Statement raise_setting{
    "UPDATE settings SET value = ?2 WHERE name = ?1 AND value < ?2"};

inline constexpr Statement event_counts{"SELECT standing, rows FROM event_counts"};
inline constexpr Statement count_events{
    "UPDATE event_counts SET rows = rows + ?2 WHERE standing = ?1"};

/// Ends leases of priority ?2 that would end between now (?1) and the latest end ever granted (?3),
/// because their holder is gone. claimed_by stays, so that the next claim counts a lost attempt.
/// Claims of pull workers stay, since those are other processes.
inline constexpr Statement end_leases{R"sql(
    UPDATE events INDEXED BY events_to_claim SET claimable_at = ?1
     WHERE shard = 0 AND priority = ?2 AND claimable_at > ?1 AND claimable_at <= ?3
       AND claimed_by IS NOT NULL AND NOT pull AND obstacle IS NOT 'LIMIT'
       AND endpoint_id IS NOT NULL)sql"};
/// The same for events without an endpoint.
inline constexpr Statement end_leases_of_handlers{
    R"sql(
    UPDATE events INDEXED BY events_to_handle SET claimable_at = ?1
     WHERE endpoint_id IS NULL AND priority = ?2 AND claimable_at > ?1 AND claimable_at <= ?3
       AND claimed_by IS NOT NULL AND event_type IN ()sql" SUNDIAL_TYPES_TO_HANDLE ")"};
/// The same for operations. ?1 now.
inline constexpr Statement end_leases_of_operations{R"sql(
    UPDATE operations SET claimable_at = ?1 WHERE status = 'RUNNING' AND claimable_at > ?1)sql"};

/// Whether the database has any rows besides those of the first migration.
inline constexpr Statement is_used{R"sql(
    SELECT EXISTS (SELECT 1 FROM events) OR EXISTS (SELECT 1 FROM event_history)
        OR EXISTS (SELECT 1 FROM recorded_events))sql"};

/// A row if the value of an endpoint's header is not sealed yet.
inline constexpr Statement readable_headers{R"sql(
    SELECT 1 FROM endpoints, json_each(endpoints.headers) AS header
     WHERE json_extract(header.value, '$[2]') = '' LIMIT 1)sql"};

/// One row "ok", or a description of the damage.
inline constexpr Statement quick_check{"PRAGMA quick_check"};

}  // namespace sundial::sqlite::sql
