#pragma once

#include "adapters/sqlite/value.hpp"

#define SUNDIAL_ENDPOINT                                                                \
    "id, external_id, name, type, url, headers, timeout, retry_policy, retry_delays, "  \
    "retry_client_errors, enabled, disabled_reason, secret_hint, version, created_at, " \
    "updated_at, rate_per_second, rate_burst, max_in_flight, format, public_key, "      \
    "signing_keys, options"

#define SUNDIAL_CIRCUIT                                                                \
    "endpoint_id, state, calls, failures, part_began, opened_at, open_for, probe_at, " \
    "prober, probes_answered, accepted_at, failing_since"

/// SQL of endpoints, their inboxes, circuits and limits. In lists a filter is off if its parameter
/// is null. Texts are compared byte by byte.
namespace sundial::sqlite::sql {

/// Inserts nothing if another row has the external id.
inline constexpr Statement add_endpoint{"INSERT INTO endpoints (" SUNDIAL_ENDPOINT R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
            ?20, ?21, ?22, ?23)
    ON CONFLICT (external_id) DO NOTHING)sql"};
inline constexpr Statement update_endpoint{R"sql(
    UPDATE endpoints
       SET external_id = ?2, name = ?3, type = ?4, url = ?5, headers = ?6, timeout = ?7,
           retry_policy = ?8, retry_delays = ?9, retry_client_errors = ?10, enabled = ?11,
           disabled_reason = ?12, secret_hint = ?13, version = ?14, created_at = ?15,
           updated_at = ?16, rate_per_second = ?17, rate_burst = ?18, max_in_flight = ?19,
           format = ?20, public_key = ?21, signing_keys = ?22,
           options = ?23
     WHERE id = ?1)sql"};
inline constexpr Statement remove_endpoint{"DELETE FROM endpoints WHERE id = ?1"};
inline constexpr Statement endpoint{"SELECT " SUNDIAL_ENDPOINT " FROM endpoints WHERE id = ?1"};
inline constexpr Statement endpoint_id{"SELECT id FROM endpoints WHERE external_id = ?1"};

/// ?1 type, ?2 enabled, ?3 prefix of id, external id or name, ?4 and ?5 first and last id with that
/// prefix; ?6 id and ?7 creation time of the previous page's last row, ?8 limit.
#define SUNDIAL_LIST_ENDPOINTS(name, beyond, direction)                   \
    inline constexpr Statement name{                                      \
        "SELECT " SUNDIAL_ENDPOINT                                        \
        " FROM endpoints WHERE (?1 IS NULL OR type = ?1)"                 \
        " AND (?2 IS NULL OR enabled = ?2)"                               \
        " AND (?3 IS NULL OR id BETWEEN ?4 AND ?5"                        \
        "      OR substr(name, 1, length(?3)) = ?3"                       \
        "      OR substr(coalesce(external_id, ''), 1, length(?3)) = ?3)" \
        " AND (?6 IS NULL OR (created_at, id) " beyond                    \
        " (?7, ?6))"                                                      \
        " ORDER BY created_at " direction ", id " direction " LIMIT ?8"}
SUNDIAL_LIST_ENDPOINTS(endpoints_by_creation, ">", "ASC");
SUNDIAL_LIST_ENDPOINTS(endpoints_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_ENDPOINTS

// The inbox.

/// Keeps the newest 10,000 requests of each endpoint, as the port says.
inline constexpr Statement add_inbox_request{R"sql(
    INSERT INTO inbox_requests (endpoint_id, id, received_at, headers, body)
    VALUES (?1, ?2, ?3, ?4, ?5))sql"};
inline constexpr Statement trim_inbox{R"sql(
    DELETE FROM inbox_requests
     WHERE endpoint_id = ?1
       AND id <= (SELECT id FROM inbox_requests WHERE endpoint_id = ?1
                   ORDER BY id DESC LIMIT 1 OFFSET 10000))sql"};
/// ?1 endpoint, ?2 id of the previous page's last row, ?3 limit.
inline constexpr Statement list_inbox{R"sql(
    SELECT id, received_at, headers, body FROM inbox_requests
     WHERE endpoint_id = ?1 AND (?2 IS NULL OR id < ?2)
     ORDER BY id DESC LIMIT ?3)sql"};
inline constexpr Statement clear_inbox{"DELETE FROM inbox_requests WHERE endpoint_id = ?1"};

// Circuits and limits.

inline constexpr Statement circuit{"SELECT " SUNDIAL_CIRCUIT
                                   " FROM endpoint_circuits WHERE endpoint_id = ?1"};
inline constexpr Statement put_circuit{"INSERT OR REPLACE INTO endpoint_circuits (" SUNDIAL_CIRCUIT
                                       R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12))sql"};
inline constexpr Statement remove_circuit{"DELETE FROM endpoint_circuits WHERE endpoint_id = ?1"};
/// ?1 limit.
inline constexpr Statement circuits{"SELECT " SUNDIAL_CIRCUIT R"sql(
      FROM endpoint_circuits
     ORDER BY state = 'CLOSED', endpoint_id LIMIT ?1)sql"};
/// Probes in flight ended with their process. ?1 now.
inline constexpr Statement end_probes{R"sql(
    UPDATE endpoint_circuits SET probe_at = ?1, prober = NULL WHERE prober IS NOT NULL)sql"};

inline constexpr Statement limits{R"sql(
    SELECT bucket_full_at FROM endpoint_limits WHERE endpoint_id = ?1)sql"};
inline constexpr Statement put_limits{R"sql(
    INSERT OR REPLACE INTO endpoint_limits (endpoint_id, bucket_full_at) VALUES (?1, ?2))sql"};
inline constexpr Statement remove_limits{"DELETE FROM endpoint_limits WHERE endpoint_id = ?1"};
inline constexpr Statement slots{R"sql(
    SELECT instance_id, slots, ends, lacks_until
      FROM endpoint_slots WHERE endpoint_id = ?1 ORDER BY instance_id)sql"};
inline constexpr Statement add_slots{R"sql(
    INSERT INTO endpoint_slots (endpoint_id, instance_id, slots, ends, lacks_until)
    VALUES (?1, ?2, ?3, ?4, ?5))sql"};
inline constexpr Statement remove_slots{"DELETE FROM endpoint_slots WHERE endpoint_id = ?1"};
inline constexpr Statement remove_all_slots{"DELETE FROM endpoint_slots"};

}  // namespace sundial::sqlite::sql
