#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL of endpoints, their inboxes, circuits and limits. Each order of a list is one complete
/// statement, which the preprocessor builds from literals. A filter is off if its parameter is
/// null.
namespace sundial::postgres::sql {

/// $1 to $28: the columns in order.
inline constexpr Statement add_endpoint{"add_endpoint", R"sql(
    INSERT INTO sundial.endpoints
        (id, external_id, name, type, url, header_names, sealed_headers, timeout, retry_policy,
         retry_delays, retry_client_errors, enabled, disabled_reason, secret_hint, version,
         created_at, updated_at, rate_per_second, rate_burst, max_in_flight, format, public_key,
         signing_schemes, sealed_keys, keys_sign_until, header_hints, option_names, option_values)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
            $20, $21, $22, $23, $24, $25, $26, $27, $28)
    ON CONFLICT (external_id) DO NOTHING)sql"};
inline constexpr Statement update_endpoint{"update_endpoint", R"sql(
    UPDATE sundial.endpoints
       SET external_id = $2, name = $3, type = $4, url = $5, header_names = $6, sealed_headers = $7,
           timeout = $8, retry_policy = $9, retry_delays = $10, retry_client_errors = $11,
           enabled = $12, disabled_reason = $13, secret_hint = $14, version = $15,
           created_at = $16, updated_at = $17, rate_per_second = $18, rate_burst = $19,
           max_in_flight = $20, format = $21, public_key = $22, signing_schemes = $23,
           sealed_keys = $24, keys_sign_until = $25, header_hints = $26,
           option_names = $27, option_values = $28
     WHERE id = $1)sql"};
/// Also removes the endpoint's inbox, circuit and limits. $1 id.
inline constexpr Statement remove_endpoint{"remove_endpoint", R"sql(
    WITH circuit AS (DELETE FROM sundial.endpoint_circuits WHERE endpoint_id = $1),
         limits AS (DELETE FROM sundial.endpoint_limits WHERE endpoint_id = $1),
         slots AS (DELETE FROM sundial.endpoint_slots WHERE endpoint_id = $1),
         inbox AS (DELETE FROM sundial.inbox_requests WHERE endpoint_id = $1)
    DELETE FROM sundial.endpoints WHERE id = $1)sql"};
inline constexpr Statement find_endpoint{"find_endpoint",
                                         "SELECT * FROM sundial.endpoints WHERE id = $1"};
inline constexpr Statement find_endpoints{"find_endpoints", R"sql(
    SELECT * FROM sundial.endpoints WHERE id = ANY ($1) ORDER BY id)sql"};
inline constexpr Statement lock_endpoint{"lock_endpoint", R"sql(
    SELECT * FROM sundial.endpoints WHERE id = $1 FOR NO KEY UPDATE)sql"};
inline constexpr Statement lock_endpoint_to_remove{"lock_endpoint_to_remove", R"sql(
    SELECT * FROM sundial.endpoints WHERE id = $1 FOR UPDATE)sql"};
/// $1 ids. Locks rows in the order of ids to prevent deadlocks.
inline constexpr Statement share_endpoints{"share_endpoints", R"sql(
    SELECT * FROM sundial.endpoints WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE)sql"};
/// $1 ids. Never waits for a lock.
inline constexpr Statement try_share_endpoints{"try_share_endpoints", R"sql(
    SELECT * FROM sundial.endpoints WHERE id = ANY ($1) FOR KEY SHARE SKIP LOCKED)sql"};
inline constexpr Statement endpoint_of_external_id{"endpoint_of_external_id", R"sql(
    SELECT id FROM sundial.endpoints WHERE external_id = $1)sql"};
/// $1 external ids.
inline constexpr Statement endpoints_of_external_ids{"endpoints_of_external_ids", R"sql(
    SELECT external_id, id FROM sundial.endpoints WHERE external_id = ANY ($1))sql"};

/// $1 type, $2 enabled, $3 prefix of id, external id or name; $4 id and $5 creation time of the
/// previous page's last row (null: the first page), $6 limit.
#define SUNDIAL_LIST_ENDPOINTS(name, beyond, direction)                       \
    inline constexpr Statement name {                                         \
        #name,                                                                \
            "SELECT * FROM sundial.endpoints"                                 \
            " WHERE ($1::text IS NULL OR type = $1)"                          \
            " AND ($2::boolean IS NULL OR enabled = $2)"                      \
            " AND ($3::text IS NULL OR starts_with(id::text, $3)"             \
            "      OR starts_with(external_id, $3) OR starts_with(name, $3))" \
            " AND ($4::uuid IS NULL OR (created_at, id) " beyond              \
            " ($5::timestamptz, $4))"                                         \
            " ORDER BY created_at " direction ", id " direction " LIMIT $6",  \
            Statement::Plan::fresh                                            \
    }
SUNDIAL_LIST_ENDPOINTS(endpoints_by_creation, ">", "ASC");
SUNDIAL_LIST_ENDPOINTS(endpoints_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_ENDPOINTS

// Inbox.

/// $1 endpoint, $2 id, $3 time, $4 and $5 header names and values, $6 body.
inline constexpr Statement add_inbox_request{"add_inbox_request", R"sql(
    INSERT INTO sundial.inbox_requests
        (endpoint_id, id, received_at, header_names, header_values, body)
    VALUES ($1, $2, $3, $4, $5, $6))sql"};
/// Removes all requests of endpoint $1 but the newest $2.
inline constexpr Statement trim_inbox{"trim_inbox", R"sql(
    DELETE FROM sundial.inbox_requests
     WHERE endpoint_id = $1
       AND id <= (SELECT id FROM sundial.inbox_requests WHERE endpoint_id = $1
                   ORDER BY id DESC OFFSET $2 LIMIT 1))sql"};
/// Lists among the newest $4 requests. $1 endpoint, $2 before this id (or null), $3 limit.
inline constexpr Statement list_inbox{"list_inbox", R"sql(
    SELECT * FROM sundial.inbox_requests
     WHERE endpoint_id = $1 AND id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
       AND id > coalesce((SELECT id FROM sundial.inbox_requests WHERE endpoint_id = $1
                           ORDER BY id DESC OFFSET $4 LIMIT 1),
                         '00000000-0000-0000-0000-000000000000'::uuid)
     ORDER BY id DESC LIMIT $3)sql"};
inline constexpr Statement clear_inbox{"clear_inbox", R"sql(
    DELETE FROM sundial.inbox_requests WHERE endpoint_id = $1)sql"};

// Circuits and limits.

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
