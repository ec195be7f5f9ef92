#pragma once

#include "adapters/sqlite/statement.hpp"

#define SUNDIAL_CIRCUIT                                                                \
    "endpoint_id, state, calls, failures, part_began, opened_at, open_for, probe_at, " \
    "prober, probes_answered, accepted_at, failing_since"

/// SQL statements for the circuits and rate limits of endpoints.
namespace sundial::sqlite::sql {

inline constexpr Statement circuit{"SELECT " SUNDIAL_CIRCUIT
                                   " FROM endpoint_circuits WHERE endpoint_id = ?1"};
inline constexpr Statement put_circuit{"INSERT OR REPLACE INTO endpoint_circuits (" SUNDIAL_CIRCUIT
                                       R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12))sql"};
/// ?1 limit.
inline constexpr Statement circuits{"SELECT " SUNDIAL_CIRCUIT R"sql(
      FROM endpoint_circuits
     ORDER BY state = 'CLOSED', endpoint_id LIMIT ?1)sql"};
/// Probes in flight ended with their process. ?1 now.
inline constexpr Statement end_probes{R"sql(
    UPDATE endpoint_circuits SET probe_at = ?1, prober = NULL WHERE prober IS NOT NULL)sql"};

/// Endpoints whose limits instances must ask; those of pull workers ask for themselves.
inline constexpr Statement limited_endpoints{R"sql(
    SELECT id FROM endpoints
     WHERE (rate_per_second IS NOT NULL OR max_in_flight IS NOT NULL) AND type <> 'PULL')sql"};
inline constexpr Statement limits{R"sql(
    SELECT bucket_full_at FROM endpoint_limits WHERE endpoint_id = ?1)sql"};
inline constexpr Statement put_limits{R"sql(
    INSERT OR REPLACE INTO endpoint_limits (endpoint_id, bucket_full_at) VALUES (?1, ?2))sql"};
inline constexpr Statement slots{R"sql(
    SELECT instance_id, slots, ends, lacks_until
      FROM endpoint_slots WHERE endpoint_id = ?1 ORDER BY instance_id)sql"};
inline constexpr Statement add_slots{R"sql(
    INSERT INTO endpoint_slots (endpoint_id, instance_id, slots, ends, lacks_until)
    VALUES (?1, ?2, ?3, ?4, ?5))sql"};
inline constexpr Statement remove_slots{"DELETE FROM endpoint_slots WHERE endpoint_id = ?1"};
inline constexpr Statement remove_all_slots{"DELETE FROM endpoint_slots"};

}  // namespace sundial::sqlite::sql
