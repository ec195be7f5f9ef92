#include "adapters/postgres/rows.hpp"
#include "domain/time/types.hpp"
#include "domain/trace_context.hpp"

namespace sundial::postgres {
namespace {

/// A pull worker's claim has both, an instance's own claim only the first.
std::optional<Claimant> claimant(std::optional<InstanceId> instance,
                                 std::optional<std::string> worker) {
    if (!instance) return std::nullopt;
    return Claimant{*instance, std::move(worker).value_or("")};
}

std::optional<Occurrence> occurrence_in(const Row& row) {
    const auto schedule = row.get<std::optional<ScheduleId>>("schedule_id");
    if (!schedule) return std::nullopt;
    return Occurrence{*schedule,
                      row.get<Version>("schedule_version"),
                      {row.get<Date>("nominal"), row.get<std::chrono::microseconds>("nominal_time"),
                       row.get<bool>("second_pass")},
                      read_name(parse_origin, row.get<std::string>("origin"))};
}

/// For a claimed event of the live table this is the end of the lease. The view shows the end of
/// the lease as claimable_at.
Instant claimable_at_in(const Row& row) {
    const bool claimed =
        row.has("lease_ends") && row.get<std::optional<InstanceId>>("claimed_by").has_value();
    return row.get<Instant>(claimed ? "lease_ends" : "claimable_at");
}

std::optional<Obstacle> obstacle_in(const Row& row) {
    const auto name = row.get<std::optional<std::string>>("obstacle");
    return name ? std::optional{read_name(parse_obstacle, *name)} : std::nullopt;
}

std::optional<TraceContext> trace_in(const Row& row) {
    const auto text = row.get<std::optional<std::string>>("traceparent");
    return text ? parse_stored_trace(*text) : std::nullopt;
}

EventState state_in(const Row& row) {
    const auto status = event_status(row.get<std::string>("status"));
    if (status == EventStatus::pending) return Pending{};
    if (status == EventStatus::processing) {
        return Processing{claimant(row.get<std::optional<InstanceId>>("claimed_by"),
                                   row.get<std::optional<std::string>>("worker"))};
    }
    if (!row.has("finished_at") || !row.has("reason")) {
        throw Corrupt{"a live event has status of a finished one"};
    }
    const auto at = row.get<Instant>("finished_at");
    if (status == EventStatus::completed) return Completed{at};
    auto reason = row.get<std::string>("reason");
    if (status == EventStatus::failed) return Failed{at, std::move(reason)};
    return Cancelled{at, std::move(reason)};
}

/// The columns that a claim returns: the others follow from the claim.
Event lasting_in(const Row& row) {
    return {.id = row.get<EventId>("id"),
            .key = row.get<IdempotencyKey>("idempotency_key"),
            .type = row.get<std::string>("event_type"),
            .priority = priority_of(row.get<std::int16_t>("priority")),
            .user = row.get<std::optional<UserId>>("user_id"),
            .endpoint = row.get<std::optional<EndpointId>>("endpoint_id"),
            .occurrence = occurrence_in(row),
            .intent = {.wall = row.get<std::optional<WallTime>>("wall"),
                       .zone = row.get<std::string>("zone"),
                       .gap = read_name(gap_policy, row.get<std::string>("gap")),
                       .overlap = read_name(overlap_policy, row.get<std::string>("overlap"))},
            .due = row.get<Instant>("due"),
            .jitter = row.get<std::chrono::microseconds>("jitter"),
            .tz_release = row.get<std::string>("tz_release"),
            .payload = row.get<std::string>("payload"),
            .claimable_at = {},
            .version = row.get<Version>("version"),
            .attempt = row.get<Attempt>("attempt"),
            .retry_count = row.get<std::uint32_t>("retry_count"),
            .retry_of = row.get<std::optional<EventId>>("retry_of"),
            .first_attempt_at = row.get<std::optional<Instant>>("first_attempt_at"),
            .dismissed_at = {},
            .trace = trace_in(row),
            .created_at = row.get<Instant>("created_at"),
            .updated_at = {}};
}

template <class T>
std::optional<T> get_if_there(const Row& row, const char* name) {
    return row.has(name) ? row.get<std::optional<T>>(name) : std::nullopt;
}

/// Reads an event of the live table or of the history.
Event event_in(const Row& row) {
    Event event = lasting_in(row);
    event.claimable_at = claimable_at_in(row);
    event.obstacle = obstacle_in(row);
    event.dismissed_at = get_if_there<Instant>(row, "dismissed_at");
    event.dismissal_note = get_if_there<std::string>(row, "dismissal_note");
    event.dismissed_by = get_if_there<std::string>(row, "dismissed_by");
    event.updated_at = row.get<Instant>("updated_at");
    event.state = state_in(row);
    return event;
}

}  // namespace

std::vector<Event> events_in(const Answer& rows) { return each_row(rows, event_in); }

std::vector<AttemptRecord> attempts_in(const Answer& rows, EventId event) {
    return each_row(rows, [&](const Row& row) {
        return AttemptRecord{.event = event,
                             .number = row.get<Attempt>(0),
                             .outcome = read_name(parse_attempt_outcome, row.get<std::string>(1)),
                             .endpoint = row.get<std::optional<EndpointId>>(2),
                             .started_at = row.get<std::optional<Instant>>(3),
                             .duration = row.get<std::chrono::microseconds>(4),
                             .status_code = row.get<std::optional<std::int32_t>>(5),
                             .error_code = row.get<std::string>(6),
                             .error_text = row.get<std::string>(7),
                             .response_body = row.get<Bytes>(8).value,
                             .instance = claimant(row.get<std::optional<InstanceId>>(9),
                                                  row.get<std::optional<std::string>>(11)),
                             .held = row.get<std::optional<Version>>(10)};
    });
}

std::vector<EndedAttempt> ended_attempts_in(const Answer& rows) {
    return each_row(rows, [](const Row& row) {
        AttemptRecord record{
            .event = row.get<EventId>("event_id"),
            .number = row.get<Attempt>("number"),
            .outcome = read_name(parse_attempt_outcome, row.get<std::string>("outcome")),
            .endpoint = row.get<std::optional<EndpointId>>("endpoint_id"),
            .started_at = row.get<std::optional<Instant>>("started_at"),
            .duration = row.get<std::chrono::microseconds>("duration"),
            .status_code = row.get<std::optional<std::int32_t>>("status_code"),
            .error_code = row.get<std::string>("error_code"),
            .error_text = row.get<std::string>("error_text"),
            .response_body = row.get<Bytes>("response_body").value,
            .instance = claimant(row.get<std::optional<InstanceId>>("instance_id"),
                                 row.get<std::optional<std::string>>("worker")),
            .held = row.get<std::optional<Version>>("held")};
        return EndedAttempt{std::move(record), row.get<Instant>("recorded_at")};
    });
}

RowShares row_shares(const std::array<std::uint32_t, 4>& shares) {
    RowShares rows;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        if (shares[i] == 0) continue;
        rows.priorities.push_back(static_cast<std::int16_t>(i));
        rows.shares.push_back(static_cast<std::int32_t>(shares[i]));
    }
    return rows;
}

ClaimAnswer claimed_in(const Answer& rows, Instant now, const ClaimTerms& terms) {
    ClaimAnswer answer{{{}, now}, {}};
    if (rows.empty()) return answer;
    Claimed& claimed = answer.claimed;
    claimed.now = rows.get<Instant>(0, rows.column("now").value());
    claimed.events.reserve(rows.size());
    ColumnPlaces places{rows};
    for (std::size_t number = 0; number < rows.size(); ++number) {
        const Row row{rows, places, number};
        if (row.get<bool>("lost")) {
            answer.lost.push_back({row.get<EventId>("id"), row.get<Version>("version")});
        } else if (obstacle_in(row) == Obstacle::limit) {
            claimed.lined_up.push_back(
                {row.get<EndpointId>("endpoint_id"), static_cast<std::uint32_t>(terms.shard),
                 priority_of(row.get<std::int16_t>("priority")), row.get<Instant>("claimable_at")});
        } else {
            Event& event = claimed.events.emplace_back(ClaimedEvent{lasting_in(row)}).event;
            event.claimable_at = claimed.now + terms.lease;
            event.updated_at = claimed.now;
            event.state = Processing{terms.by};
        }
    }
    return answer;
}

EventStatus event_status(const std::string& text) { return read_name(parse_event_status, text); }

}  // namespace sundial::postgres
