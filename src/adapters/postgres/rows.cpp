#include "adapters/postgres/rows.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "domain/time/types.hpp"

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
    return each_row(rows, [&](const Row& row) {
        auto dates = zipped(row.get<std::vector<std::string>>("date_names"),
                            row.get<std::vector<Date>>("date_values"));
        auto metadata = zipped(row.get<std::vector<std::string>>("metadata_names"),
                               row.get<std::vector<std::string>>("metadata_values"));
        return User{.id = row.get<UserId>("id"),
                    .external_id = row.get<std::optional<std::string>>("external_id"),
                    .first_name = row.get<std::string>("first_name"),
                    .last_name = row.get<std::string>("last_name"),
                    .date_of_birth = row.get<Date>("date_of_birth"),
                    .timezone = row.get<std::string>("timezone"),
                    .dates = {dates.begin(), dates.end()},
                    .metadata = {metadata.begin(), metadata.end()},
                    .version = row.get<Version>("version"),
                    .created_at = row.get<Instant>("created_at"),
                    .updated_at = row.get<Instant>("updated_at")};
    });
}

std::vector<RecordedEvent> recorded_events_in(const Answer& rows) {
    return each_row(rows, [](const Row& row) {
        return RecordedEvent{.stream = {row.get<std::string>(0), row.get<std::string>(1)},
                             .version = row.get<Version>(2),
                             .event_id = row.get<Uuid>(3),
                             .event_type = row.get<std::string>(4),
                             .schema_version = row.get<std::uint32_t>(5),
                             .data = row.get<std::string>(6),
                             .metadata = {.occurred_at = row.get<std::optional<Instant>>(7),
                                          .correlation_id = row.get<std::string>(8),
                                          .causation_id = row.get<std::string>(9),
                                          .actor = row.get<std::string>(10),
                                          .tenant = row.get<std::string>(11),
                                          .traceparent = row.get<std::string>(12),
                                          .headers = row.get<std::string>(13)},
                             .content_hash = row.get<Bytes>(14).value,
                             .position = row.get<std::uint64_t>(15),
                             .recorded_at = row.get<Instant>(16),
                             .redacted_at = row.get<std::optional<Instant>>(17)};
    });
}

std::vector<Endpoint> endpoints_in(const Answer& rows) {
    const auto type_options = [](const Row& row) {
        auto pairs = zipped(row.get<std::vector<std::string>>("option_names"),
                            row.get<std::vector<std::string>>("option_values"));
        return std::map<std::string, std::string>(pairs.begin(), pairs.end());
    };
    const auto rate_limit = [&](const Row& row) -> std::optional<RateLimit> {
        const auto per_second = row.get<std::optional<std::uint32_t>>("rate_per_second");
        if (!per_second) return std::nullopt;
        return RateLimit{*per_second, row.get<std::uint32_t>("rate_burst")};
    };
    return each_row(rows, [&](const Row& row) {
        std::vector<std::chrono::seconds> delays;
        for (const auto seconds : row.get<std::vector<std::int32_t>>("retry_delays")) {
            delays.emplace_back(seconds);
        }
        return Endpoint{
            .id = row.get<EndpointId>("id"),
            .external_id = row.get<std::optional<std::string>>("external_id"),
            .name = row.get<std::string>("name"),
            .type = row.get<EndpointType>("type"),
            .url = row.get<std::string>("url"),
            .format = read_name(parse_body_format, row.get<std::string>("format")),
            .options = type_options(row),
            .headers = endpoint_headers_of(row.get<std::vector<std::string>>("header_names"),
                                           row.get<std::vector<std::string>>("sealed_headers"),
                                           row.get<std::vector<std::string>>("header_hints")),
            .timeout = std::chrono::floor<std::chrono::seconds>(
                row.get<std::chrono::microseconds>("timeout")),
            .retry_policy = {.kind =
                                 read_name(retry_policy_kind, row.get<std::string>("retry_policy")),
                             .custom = std::move(delays)},
            .retry_client_errors = row.get<std::uint32_t>("retry_client_errors"),
            .rate_limit = rate_limit(row),
            .max_in_flight = row.get<std::optional<std::uint32_t>>("max_in_flight"),
            .enabled = row.get<bool>("enabled"),
            .disabled_reason = row.get<std::optional<std::string>>("disabled_reason"),
            .signing_keys = signing_keys_of(row.get<std::vector<std::string>>("signing_schemes"),
                                            row.get<std::vector<std::string>>("sealed_keys"),
                                            row.get<std::vector<Instant>>("keys_sign_until")),
            .secret_hint = row.get<std::string>("secret_hint"),
            .public_key = row.get<std::string>("public_key"),
            .version = row.get<Version>("version"),
            .created_at = row.get<Instant>("created_at"),
            .updated_at = row.get<Instant>("updated_at")};
    });
}

std::vector<Circuit> circuits_in(const Answer& rows) {
    const auto parts = [&](const Row& row) {
        const auto all = row.get<std::vector<std::int32_t>>("calls");
        const auto failed = row.get<std::vector<std::int32_t>>("failures");
        if (all.size() != circuit_parts || failed.size() != circuit_parts) {
            throw Corrupt{"PostgreSQL holds a circuit with another window"};
        }
        std::array<CallCounts, circuit_parts> counts;
        for (std::size_t i = 0; i < circuit_parts; ++i) {
            counts[i] = {static_cast<std::uint32_t>(all[i]), static_cast<std::uint32_t>(failed[i])};
        }
        return counts;
    };
    return each_row(rows, [&](const Row& row) {
        return Circuit{.endpoint = row.get<EndpointId>("endpoint_id"),
                       .state = read_name(parse_circuit_state, row.get<std::string>("state")),
                       .parts = parts(row),
                       .part_began = row.get<Instant>("part_began"),
                       .opened_at = row.get<std::optional<Instant>>("opened_at"),
                       .open_for = std::chrono::floor<std::chrono::seconds>(
                           row.get<std::chrono::microseconds>("open_for")),
                       .probe_at = row.get<Instant>("probe_at"),
                       .prober = row.get<std::optional<InstanceId>>("prober"),
                       .probes_answered = row.get<std::uint32_t>("probes_answered"),
                       .accepted_at = row.get<std::optional<Instant>>("accepted_at"),
                       .failing_since = row.get<std::optional<Instant>>("failing_since")};
    });
}

std::vector<Operation> operations_in(const Answer& rows) {
    return each_row(rows, [](const Row& row) {
        return Operation{
            .id = row.get<OperationId>("id"),
            .kind = operation_kind(row.get<std::string>("kind")),
            .status = read_name(parse_operation_status, row.get<std::string>("status")),
            .reason = row.get<std::optional<std::string>>("reason"),
            .schedule = row.get<std::optional<ScheduleId>>("schedule_id"),
            .schedule_version = row.get<std::optional<Version>>("schedule_version"),
            .total = row.get<std::optional<std::uint64_t>>("total"),
            .done = row.get<std::uint64_t>("done"),
            .failed = row.get<std::uint64_t>("failed"),
            .cursor = row.get<std::optional<std::string>>("cursor"),
            .held_by = row.get<std::optional<InstanceId>>("held_by"),
            .claimable_at = row.get<Instant>("claimable_at"),
            .version = row.get<Version>("version"),
            .created_at = row.get<Instant>("created_at"),
            .updated_at = row.get<Instant>("updated_at"),
            .finished_at = row.get<std::optional<Instant>>("finished_at"),
            .request = row.get<std::optional<std::string>>("request")};
    });
}

std::vector<NumberedFailure> operation_failures_in(const Answer& rows) {
    return each_row(rows, [](const Row& row) {
        return NumberedFailure{
            row.get<std::uint64_t>(0),
            {read_name(parse_operation_subject, row.get<std::string>(1)), row.get<Uuid>(2),
             row.get<std::string>(3), row.get<std::string>(4)}};
    });
}

std::vector<ApiKey> api_keys_in(const Answer& rows) {
    return each_row(rows, [](const Row& row) {
        return ApiKey{.id = row.get<ApiKeyId>("id"),
                      .name = row.get<std::string>("name"),
                      .role = read_name(parse_role, row.get<std::string>("role")),
                      .secret_hash = row.get<Bytes>("secret_hash").value,
                      .expires_at = row.get<std::optional<Instant>>("expires_at"),
                      .last_used_at = row.get<std::optional<Instant>>("last_used_at"),
                      .version = row.get<Version>("version"),
                      .created_at = row.get<Instant>("created_at")};
    });
}

std::vector<InboxRequest> inbox_requests_in(const Answer& rows) {
    return each_row(rows, [](const Row& row) {
        return InboxRequest{.id = row.get<Uuid>("id"),
                            .endpoint = row.get<EndpointId>("endpoint_id"),
                            .received_at = row.get<Instant>("received_at"),
                            .headers = zipped(row.get<std::vector<std::string>>("header_names"),
                                              row.get<std::vector<std::string>>("header_values")),
                            .body = row.get<Bytes>("body").value};
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
