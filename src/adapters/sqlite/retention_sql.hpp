#pragma once

#include "adapters/sqlite/statement.hpp"

/// Deletions by retention. ?1 older than this, ?2 limit.
namespace sundial::sqlite::sql {

inline constexpr Statement forget_completed{R"sql(
    DELETE FROM event_history
     WHERE id IN (SELECT id FROM event_history
                   WHERE finished_at < ?1 AND status <> 'FAILED' ORDER BY finished_at LIMIT ?2)
    RETURNING status)sql"};
inline constexpr Statement forget_failed{R"sql(
    DELETE FROM event_history
     WHERE id IN (SELECT id FROM event_history
                   WHERE finished_at < ?1 AND status = 'FAILED' ORDER BY finished_at LIMIT ?2)
    RETURNING status)sql"};
inline constexpr Statement forget_attempts{R"sql(
    DELETE FROM attempts
     WHERE (event_id, number) IN (SELECT event_id, number FROM attempts
                                   WHERE recorded_at < ?1 ORDER BY recorded_at LIMIT ?2))sql"};
/// Keeps keys of future events.
inline constexpr Statement forget_keys{R"sql(
    DELETE FROM event_keys
     WHERE key IN (SELECT key FROM event_keys
                    WHERE expires_at < ?1
                      AND NOT EXISTS (SELECT 1 FROM events WHERE events.id = event_keys.event_id)
                    ORDER BY expires_at LIMIT ?2))sql"};
inline constexpr Statement forget_skips{R"sql(
    DELETE FROM skipped_runs
     WHERE id IN (SELECT id FROM skipped_runs
                   WHERE recorded_at < ?1 ORDER BY recorded_at LIMIT ?2))sql"};

}  // namespace sundial::sqlite::sql
