#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL statements for the circuits and rate limits of endpoints.
namespace sundial::postgres::sql {

inline constexpr Statement find_circuits{"find_circuits", R"sql(
    SELECT * FROM sundial.endpoint_circuits WHERE endpoint_id = ANY ($1) ORDER BY endpoint_id)sql"};
inline constexpr Statement lock_circuit{"lock_circuit", R"sql(
    SELECT * FROM sundial.endpoint_circuits WHERE endpoint_id = $1 FOR UPDATE)sql"};
/// Does nothing if the circuit exists, for example because another instance has just added it.
inline constexpr Statement add_circuit{"add_circuit", R"sql(
    INSERT INTO sundial.endpoint_circuits
        (endpoint_id, state, calls, failures, part_began, open_for, probe_at, probes_answered)
    VALUES ($1, 'CLOSED', array_fill(0, ARRAY[6]), array_fill(0, ARRAY[6]), 'epoch', '0', 'epoch', 0)
    ON CONFLICT DO NOTHING)sql"};
/// $1 endpoint, $2 state, $3 calls, $4 failures, $5 start of the current part, $6 opened at, $7
/// open for, $8 probe at, $9 prober, $10 answered probes, $11 accepted, $12 failing since.
inline constexpr Statement put_circuit{"put_circuit", R"sql(
    UPDATE sundial.endpoint_circuits
       SET state = $2, calls = $3, failures = $4, part_began = $5, opened_at = $6, open_for = $7,
           probe_at = $8, prober = $9, probes_answered = $10, accepted_at = $11,
           failing_since = $12
     WHERE endpoint_id = $1)sql"};
/// $1 limit.
inline constexpr Statement list_circuits{"list_circuits", R"sql(
    SELECT * FROM sundial.endpoint_circuits
     ORDER BY state = 'CLOSED', endpoint_id LIMIT $1)sql"};

inline constexpr Statement lock_limits{"lock_limits", R"sql(
    SELECT * FROM sundial.endpoint_limits WHERE endpoint_id = $1 FOR UPDATE)sql"};
/// Skips limits that exist, for example because another instance has just added them.
inline constexpr Statement add_limits{"add_limits", R"sql(
    INSERT INTO sundial.endpoint_limits (endpoint_id, bucket_full_at)
    VALUES ($1, 'epoch') ON CONFLICT DO NOTHING)sql"};
/// $1 endpoint, $2 full at.
inline constexpr Statement put_limits{"put_limits", R"sql(
    UPDATE sundial.endpoint_limits SET bucket_full_at = $2 WHERE endpoint_id = $1)sql"};
inline constexpr Statement find_slots{"find_slots", R"sql(
    SELECT instance_id, slots, ends, lacks_until
      FROM sundial.endpoint_slots WHERE endpoint_id = $1 ORDER BY instance_id)sql"};
/// Replaces the slot leases of endpoint $1: $2 instances, $3 slots, $4 ends, $5 lacking until.
inline constexpr Statement put_slots{"put_slots", R"sql(
    WITH given AS (
        SELECT * FROM unnest($2::uuid[], $3::integer[], $4::timestamptz[], $5::timestamptz[])
                   AS given(instance, slots, ends, lacks_until)),
    gone AS (
        DELETE FROM sundial.endpoint_slots
         WHERE endpoint_id = $1 AND instance_id NOT IN (SELECT instance FROM given))
    INSERT INTO sundial.endpoint_slots (endpoint_id, instance_id, slots, ends, lacks_until)
    SELECT $1, instance, slots, ends, lacks_until FROM given
    ON CONFLICT (endpoint_id, instance_id)
    DO UPDATE SET slots = excluded.slots, ends = excluded.ends, lacks_until = excluded.lacks_until)sql"};

}  // namespace sundial::postgres::sql
