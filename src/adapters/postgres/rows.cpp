#include "adapters/postgres/rows.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "adapters/postgres/row_reader.hpp"
#include "base/utf8.hpp"
#include "domain/time/policies.hpp"

namespace sundial::postgres {
namespace {

std::vector<SigningKey> signing_keys_of(const std::vector<std::string>& schemes,
                                        std::vector<std::string> sealed,
                                        const std::vector<Instant>& until) {
    if (sealed.size() != schemes.size() || until.size() != schemes.size()) {
        throw Corrupt{"PostgreSQL holds signing keys in columns of different lengths"};
    }
    std::vector<SigningKey> keys;
    keys.reserve(schemes.size());
    for (std::size_t i = 0; i < schemes.size(); ++i) {
        keys.push_back({.scheme = read_name(parse_signature_scheme, schemes[i]),
                        .sealed = std::move(sealed[i]),
                        .signs_until = until[i]});
    }
    return keys;
}

std::vector<EndpointHeader> endpoint_headers_of(std::vector<std::string> names,
                                                std::vector<std::string> sealed,
                                                std::vector<std::string> hints) {
    if (sealed.size() != names.size() || hints.size() != names.size()) {
        throw Corrupt{"PostgreSQL holds headers in columns of different lengths"};
    }
    std::vector<EndpointHeader> headers;
    headers.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        headers.push_back({std::move(names[i]), std::move(sealed[i]), std::move(hints[i])});
    }
    return headers;
}

constexpr std::array<std::string_view, 3> retry_policy_names{"standard", "seed", "custom"};

std::optional<RetryPolicy::Kind> retry_policy_kind(std::string_view name) {
    const auto found = std::find(retry_policy_names.begin(), retry_policy_names.end(), name);
    if (found == retry_policy_names.end()) return std::nullopt;
    return static_cast<RetryPolicy::Kind>(found - retry_policy_names.begin());
}

/// Joins two arrays into pairs.
template <class Value>
std::vector<std::pair<std::string, Value>> zipped(std::vector<std::string> names,
                                                  std::vector<Value> values) {
    if (names.size() != values.size()) throw Corrupt{"PostgreSQL sent names without values"};
    std::vector<std::pair<std::string, Value>> pairs;
    pairs.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        pairs.emplace_back(std::move(names[i]), std::move(values[i]));
    }
    return pairs;
}

}  // namespace

std::vector<User> users_in(const Answer& rows) {
    const Reader reader{rows};
    const int id = reader.column("id"), external_id = reader.column("external_id"),
              first_name = reader.column("first_name"), last_name = reader.column("last_name"),
              date_of_birth = reader.column("date_of_birth"), timezone = reader.column("timezone"),
              date_names = reader.column("date_names"), date_values = reader.column("date_values"),
              metadata_names = reader.column("metadata_names"),
              metadata_values = reader.column("metadata_values"),
              version = reader.column("version"), created_at = reader.column("created_at"),
              updated_at = reader.column("updated_at");
    return reader.each([&](std::size_t row) {
        auto dates = zipped(rows.get<std::vector<std::string>>(row, date_names),
                            rows.get<std::vector<Date>>(row, date_values));
        auto metadata = zipped(rows.get<std::vector<std::string>>(row, metadata_names),
                               rows.get<std::vector<std::string>>(row, metadata_values));
        return User{.id = rows.get<UserId>(row, id),
                    .external_id = rows.get<std::optional<std::string>>(row, external_id),
                    .first_name = rows.get<std::string>(row, first_name),
                    .last_name = rows.get<std::string>(row, last_name),
                    .date_of_birth = rows.get<Date>(row, date_of_birth),
                    .timezone = rows.get<std::string>(row, timezone),
                    .dates = {dates.begin(), dates.end()},
                    .metadata = {metadata.begin(), metadata.end()},
                    .version = rows.get<Version>(row, version),
                    .created_at = rows.get<Instant>(row, created_at),
                    .updated_at = rows.get<Instant>(row, updated_at)};
    });
}

std::vector<RecordedEvent> recorded_events_in(const Answer& rows) {
    std::vector<RecordedEvent> events;
    events.reserve(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        events.push_back({.stream = {rows.get<std::string>(row, 0), rows.get<std::string>(row, 1)},
                          .version = rows.get<Version>(row, 2),
                          .event_id = rows.get<Uuid>(row, 3),
                          .event_type = rows.get<std::string>(row, 4),
                          .schema_version = rows.get<std::uint32_t>(row, 5),
                          .data = rows.get<std::string>(row, 6),
                          .metadata = {.occurred_at = rows.get<std::optional<Instant>>(row, 7),
                                       .correlation_id = rows.get<std::string>(row, 8),
                                       .causation_id = rows.get<std::string>(row, 9),
                                       .actor = rows.get<std::string>(row, 10),
                                       .tenant = rows.get<std::string>(row, 11),
                                       .traceparent = rows.get<std::string>(row, 12),
                                       .headers = rows.get<std::string>(row, 13)},
                          .content_hash = rows.get<Bytes>(row, 14).value,
                          .position = rows.get<std::uint64_t>(row, 15),
                          .recorded_at = rows.get<Instant>(row, 16),
                          .redacted_at = rows.get<std::optional<Instant>>(row, 17)});
    }
    return events;
}

std::vector<Endpoint> endpoints_in(const Answer& rows) {
    const Reader reader{rows};
    const int id = reader.column("id"), external_id = reader.column("external_id"),
              name = reader.column("name"), type = reader.column("type"),
              url = reader.column("url"), header_names = reader.column("header_names"),
              sealed_headers = reader.column("sealed_headers"),
              header_hints = reader.column("header_hints"), timeout = reader.column("timeout"),
              retry_policy = reader.column("retry_policy"),
              retry_delays = reader.column("retry_delays"),
              retry_client_errors = reader.column("retry_client_errors"),
              enabled = reader.column("enabled"),
              disabled_reason = reader.column("disabled_reason"), format = reader.column("format"),
              public_key = reader.column("public_key"),
              signing_schemes = reader.column("signing_schemes"),
              sealed_keys = reader.column("sealed_keys"),
              keys_sign_until = reader.column("keys_sign_until"),
              secret_hint = reader.column("secret_hint"), version = reader.column("version"),
              created_at = reader.column("created_at"), updated_at = reader.column("updated_at"),
              rate_per_second = reader.column("rate_per_second"),
              rate_burst = reader.column("rate_burst"),
              max_in_flight = reader.column("max_in_flight");
    const auto rate_limit = [&](std::size_t row) -> std::optional<RateLimit> {
        const auto per_second = rows.get<std::optional<std::uint32_t>>(row, rate_per_second);
        if (!per_second) return std::nullopt;
        return RateLimit{*per_second, rows.get<std::uint32_t>(row, rate_burst)};
    };
    return reader.each([&](std::size_t row) {
        std::vector<std::chrono::seconds> delays;
        for (const auto seconds : rows.get<std::vector<std::int32_t>>(row, retry_delays)) {
            delays.emplace_back(seconds);
        }
        return Endpoint{
            .id = rows.get<EndpointId>(row, id),
            .external_id = rows.get<std::optional<std::string>>(row, external_id),
            .name = rows.get<std::string>(row, name),
            .type = rows.get<EndpointType>(row, type),
            .url = rows.get<std::string>(row, url),
            .format = read_name(parse_body_format, rows.get<std::string>(row, format)),
            .headers = endpoint_headers_of(rows.get<std::vector<std::string>>(row, header_names),
                                           rows.get<std::vector<std::string>>(row, sealed_headers),
                                           rows.get<std::vector<std::string>>(row, header_hints)),
            .timeout = std::chrono::floor<std::chrono::seconds>(
                rows.get<std::chrono::microseconds>(row, timeout)),
            .retry_policy = {.kind = read_name(retry_policy_kind,
                                               rows.get<std::string>(row, retry_policy)),
                             .custom = std::move(delays)},
            .retry_client_errors = rows.get<std::uint32_t>(row, retry_client_errors),
            .rate_limit = rate_limit(row),
            .max_in_flight = rows.get<std::optional<std::uint32_t>>(row, max_in_flight),
            .enabled = rows.get<bool>(row, enabled),
            .disabled_reason = rows.get<std::optional<std::string>>(row, disabled_reason),
            .signing_keys =
                signing_keys_of(rows.get<std::vector<std::string>>(row, signing_schemes),
                                rows.get<std::vector<std::string>>(row, sealed_keys),
                                rows.get<std::vector<Instant>>(row, keys_sign_until)),
            .secret_hint = rows.get<std::string>(row, secret_hint),
            .public_key = rows.get<std::string>(row, public_key),
            .version = rows.get<Version>(row, version),
            .created_at = rows.get<Instant>(row, created_at),
            .updated_at = rows.get<Instant>(row, updated_at)};
    });
}

std::vector<Circuit> circuits_in(const Answer& rows) {
    const Reader reader{rows};
    const int endpoint = reader.column("endpoint_id"), state = reader.column("state"),
              calls = reader.column("calls"), failures = reader.column("failures"),
              part_began = reader.column("part_began"), opened_at = reader.column("opened_at"),
              open_for = reader.column("open_for"), probe_at = reader.column("probe_at"),
              prober = reader.column("prober"), probes_answered = reader.column("probes_answered"),
              accepted_at = reader.column("accepted_at"),
              failing_since = reader.column("failing_since");
    const auto parts = [&](std::size_t row) {
        const auto all = rows.get<std::vector<std::int32_t>>(row, calls);
        const auto failed = rows.get<std::vector<std::int32_t>>(row, failures);
        if (all.size() != circuit_parts || failed.size() != circuit_parts) {
            throw Corrupt{"PostgreSQL holds a circuit with another window"};
        }
        std::array<CallCounts, circuit_parts> counts;
        for (std::size_t i = 0; i < circuit_parts; ++i) {
            counts[i] = {static_cast<std::uint32_t>(all[i]), static_cast<std::uint32_t>(failed[i])};
        }
        return counts;
    };
    return reader.each([&](std::size_t row) {
        return Circuit{.endpoint = rows.get<EndpointId>(row, endpoint),
                       .state = read_name(parse_circuit_state, rows.get<std::string>(row, state)),
                       .parts = parts(row),
                       .part_began = rows.get<Instant>(row, part_began),
                       .opened_at = rows.get<std::optional<Instant>>(row, opened_at),
                       .open_for = std::chrono::floor<std::chrono::seconds>(
                           rows.get<std::chrono::microseconds>(row, open_for)),
                       .probe_at = rows.get<Instant>(row, probe_at),
                       .prober = rows.get<std::optional<InstanceId>>(row, prober),
                       .probes_answered = rows.get<std::uint32_t>(row, probes_answered),
                       .accepted_at = rows.get<std::optional<Instant>>(row, accepted_at),
                       .failing_since = rows.get<std::optional<Instant>>(row, failing_since)};
    });
}

std::vector<Operation> operations_in(const Answer& rows) {
    const Reader reader{rows};
    const int id = reader.column("id"), kind = reader.column("kind"),
              status = reader.column("status"), reason = reader.column("reason"),
              schedule = reader.column("schedule_id"),
              schedule_version = reader.column("schedule_version"), total = reader.column("total"),
              done = reader.column("done"), failed = reader.column("failed"),
              cursor = reader.column("cursor"), held_by = reader.column("held_by"),
              claimable_at = reader.column("claimable_at"), version = reader.column("version"),
              created_at = reader.column("created_at"), updated_at = reader.column("updated_at"),
              finished_at = reader.column("finished_at"), request = reader.column("request");
    return reader.each([&](std::size_t row) {
        return Operation{
            .id = rows.get<OperationId>(row, id),
            .kind = operation_kind(rows.get<std::string>(row, kind)),
            .status = read_name(parse_operation_status, rows.get<std::string>(row, status)),
            .reason = rows.get<std::optional<std::string>>(row, reason),
            .schedule = rows.get<std::optional<ScheduleId>>(row, schedule),
            .schedule_version = rows.get<std::optional<Version>>(row, schedule_version),
            .total = rows.get<std::optional<std::uint64_t>>(row, total),
            .done = rows.get<std::uint64_t>(row, done),
            .failed = rows.get<std::uint64_t>(row, failed),
            .cursor = rows.get<std::optional<std::string>>(row, cursor),
            .held_by = rows.get<std::optional<InstanceId>>(row, held_by),
            .claimable_at = rows.get<Instant>(row, claimable_at),
            .version = rows.get<Version>(row, version),
            .created_at = rows.get<Instant>(row, created_at),
            .updated_at = rows.get<Instant>(row, updated_at),
            .finished_at = rows.get<std::optional<Instant>>(row, finished_at),
            .request = rows.get<std::optional<std::string>>(row, request)};
    });
}

std::vector<NumberedFailure> operation_failures_in(const Answer& rows) {
    return Reader{rows}.each([&](std::size_t row) {
        return NumberedFailure{
            rows.get<std::uint64_t>(row, 0),
            {read_name(parse_operation_subject, rows.get<std::string>(row, 1)),
             rows.get<Uuid>(row, 2), rows.get<std::string>(row, 3), rows.get<std::string>(row, 4)}};
    });
}

std::vector<ApiKey> api_keys_in(const Answer& rows) {
    const Reader reader{rows};
    const int id = reader.column("id"), name = reader.column("name"), role = reader.column("role"),
              secret_hash = reader.column("secret_hash"), expires_at = reader.column("expires_at"),
              last_used_at = reader.column("last_used_at"), version = reader.column("version"),
              created_at = reader.column("created_at");
    return reader.each([&](std::size_t row) {
        return ApiKey{.id = rows.get<ApiKeyId>(row, id),
                      .name = rows.get<std::string>(row, name),
                      .role = read_name(parse_role, rows.get<std::string>(row, role)),
                      .secret_hash = rows.get<Bytes>(row, secret_hash).value,
                      .expires_at = rows.get<std::optional<Instant>>(row, expires_at),
                      .last_used_at = rows.get<std::optional<Instant>>(row, last_used_at),
                      .version = rows.get<Version>(row, version),
                      .created_at = rows.get<Instant>(row, created_at)};
    });
}

std::vector<InboxRequest> inbox_requests_in(const Answer& rows) {
    const Reader reader{rows};
    const int id = reader.column("id"), endpoint_id = reader.column("endpoint_id"),
              received_at = reader.column("received_at"),
              header_names = reader.column("header_names"),
              header_values = reader.column("header_values"), body = reader.column("body");
    return reader.each([&](std::size_t row) {
        return InboxRequest{
            .id = rows.get<Uuid>(row, id),
            .endpoint = rows.get<EndpointId>(row, endpoint_id),
            .received_at = rows.get<Instant>(row, received_at),
            .headers = zipped(rows.get<std::vector<std::string>>(row, header_names),
                              rows.get<std::vector<std::string>>(row, header_values)),
            .body = rows.get<Bytes>(row, body).value};
    });
}

OperationKind operation_kind(const std::string& text) {
    return read_name(parse_operation_kind, text);
}

std::string_view name_of(RetryPolicy::Kind kind) {
    return retry_policy_names.at(static_cast<std::size_t>(kind));
}

std::string as_text(std::string text) {
    std::replace(text.begin(), text.end(), '\0', '?');
    if (base::count_code_points(text)) return text;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; },
        '?');
    return text;
}

}  // namespace sundial::postgres
