#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/api/json_members.hpp"
#include "adapters/http/json.hpp"
#include "adapters/http/message.hpp"
#include "adapters/http/problem.hpp"
#include "application/access/api_keys.hpp"
#include "application/calendars/calendars.hpp"
#include "application/endpoints/create_endpoint.hpp"
#include "application/endpoints/edit_endpoint.hpp"
#include "application/endpoints/signing_secrets.hpp"
#include "application/endpoints/test_endpoint.hpp"
#include "application/events/edit_event.hpp"
#include "application/events/explain_event.hpp"
#include "application/events/schedule_event.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/endpoint_repository.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/operation_repository.hpp"
#include "application/ports/time_zones.hpp"
#include "application/pull/pull_events.hpp"
#include "application/pull/settle_pulled.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/backfill_schedule.hpp"
#include "application/schedules/schedule_fields.hpp"
#include "application/schedules/trigger_schedule.hpp"
#include "application/stats/read_stats.hpp"
#include "application/users/create_user.hpp"
#include "application/users/edit_user.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "domain/api_key.hpp"
#include "domain/checkpoint.hpp"
#include "domain/operation.hpp"

/// The resources as JSON, both ways. Each `<resource>_codec.cpp` has one; those of small resources
/// are beside their routes.

namespace sundial::http {

// Events.

/// The target time from a body that contains its members.
[[nodiscard]] TargetFields target_fields(const Members& members);
[[nodiscard]] NewEvent new_event(const JsonBody& body);
/// The events of a batch, one result per item: the event, or the problem of that item.
[[nodiscard]] std::vector<base::Result<NewEvent, Problem>> new_events(const Request& batch);
[[nodiscard]] EventEdit event_edit(const JsonBody& body);
[[nodiscard]] std::string event_json(const Event& event, const TimeZones& zones);

[[nodiscard]] std::string explanation_json(const Explanation& explanation);

// Requests and responses of pull workers. Errors: invalid durations, which the OpenAPI document
// cannot check.

struct WaitingOrder {
    WorkOrder order;
    std::chrono::milliseconds wait{0};  // longest wait if no event is due
};
[[nodiscard]] Result<WaitingOrder> work_order(const JsonBody& body, std::string_view endpoint);
[[nodiscard]] std::string work_json(std::span<const Event> events, const TimeZones& zones);

[[nodiscard]] Version held_version(const JsonBody& body);
[[nodiscard]] WorkFailure work_failure(const JsonBody& body);
[[nodiscard]] Result<std::chrono::microseconds> lease_of(const JsonBody& body);

// Schedules.

[[nodiscard]] ScheduleFields schedule_fields(const JsonBody& body);
/// `operation` updates the planned events after an edit.
[[nodiscard]] std::string schedule_json(const ScheduleView& view,
                                        std::optional<OperationId> operation = std::nullopt);
[[nodiscard]] TriggerRequest trigger_request(const JsonBody& body);
[[nodiscard]] BackfillRequest backfill_request(const JsonBody& body);
[[nodiscard]] std::string backfill_json(const Backfill& backfill, const TimeZones& zones);

// Users.

[[nodiscard]] UserFields user_fields(const JsonBody& body);
[[nodiscard]] UserEdit user_edit(const JsonBody& body);
[[nodiscard]] std::string user_json(const User& user,
                                    const std::optional<Reschedule>& reschedule = std::nullopt);

// Endpoints. Errors: invalid durations, which the OpenAPI document cannot check.

/// `default_timeout` applies to an endpoint without a timeout of its own. `options`: the settings
/// that some types have (EndpointKinds::options).
[[nodiscard]] Result<NewEndpoint> new_endpoint(const JsonBody& body,
                                               std::chrono::seconds default_timeout,
                                               std::span<const std::string> options);
[[nodiscard]] Result<EndpointEdit> endpoint_edit(const JsonBody& body,
                                                 std::span<const std::string> options);
[[nodiscard]] Result<Rotation> rotation(const JsonBody& body);
/// The endpoint's circuit as of `now`.
struct CircuitShown {
    Circuit circuit;
    Instant now;
    const CircuitPolicy& policy;
};
/// Only the response that creates `secret` shows it.
[[nodiscard]] std::string endpoint_json(const Endpoint& endpoint, const CircuitShown& circuit,
                                        const std::string& secret = "");
[[nodiscard]] std::string test_json(const TestDelivery& test);
[[nodiscard]] std::string inbox_json(const CheckedRequest& request);

// Streams and recorded events. The data of an event is stored and returned byte for byte.

/// The body of an append. Event ids that are not given are generated. Errors: VALIDATION_FAILED for
/// an invalid expected version, id or instant.
[[nodiscard]] base::Result<Append, Problem> append_in(const JsonBody& body, StreamId stream,
                                                      Ids& ids);
[[nodiscard]] std::string appended_json(const Appended& appended);

/// `event` as a caller with that role may read it. Only ADMIN may list API keys and read their
/// names.
[[nodiscard]] RecordedEvent readable_by(Role role, RecordedEvent event);
[[nodiscard]] std::string recorded_event_json(const RecordedEvent& event, bool stream_deleted);
/// Writes the members of a stream into an open object.
void write_stream(base::JsonWriter& json, const StreamId& stream, const StreamHead& head);

[[nodiscard]] Snapshot snapshot_in(const JsonBody& body);
[[nodiscard]] std::string snapshot_json(const Snapshot& snapshot);

/// As a server-sent event with the id `id`.
[[nodiscard]] std::string sent_event(std::uint64_t id, std::string_view json);

/// Errors: VALIDATION_FAILED for an invalid event id.
[[nodiscard]] base::Result<CheckpointStep, Problem> checkpoint_step_in(const JsonBody& body);
[[nodiscard]] std::string checkpoint_json(const std::string& name, const Checkpoint& checkpoint);

// Operations.

[[nodiscard]] std::string operation_json(const sundial::Operation& operation);
[[nodiscard]] std::string failure_json(const NumberedFailure& failure);

// Counters, and attempts of events.

[[nodiscard]] std::string stats_json(const StatsOverview& found);
[[nodiscard]] std::string attempt_json(const EndedAttempt& ended);

// API keys.

/// Errors: ValidationFailed.
[[nodiscard]] Result<NewApiKey> new_api_key(const JsonBody& body);
/// `text` is the key itself, in the one response that may show it.
[[nodiscard]] std::string api_key_json(const ApiKey& key, const std::string& text = {});

// Calendars.

/// Errors: ValidationFailed.
[[nodiscard]] Result<NewCalendar> new_calendar(const JsonBody& body);
/// `token` is that of its feed, in the one response that may show it.
[[nodiscard]] std::string calendar_json(const Calendar& calendar, const std::string& token = {});

}  // namespace sundial::http
