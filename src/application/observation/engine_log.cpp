#include "application/observation/engine_log.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include "domain/time/text.hpp"

namespace sundial {
namespace {

using base::LogLevel;
using base::LogLine;

std::int64_t milliseconds(std::chrono::microseconds duration) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

LogLine line_of(LogLevel level, const char* event_name, const char* message, const Event& event) {
    return {.level = level,
            .event_name = event_name,
            .message = message,
            .correlation_id = "evt-" + to_string(event.id),
            .fields = {{"eventId", to_string(event.id)}}};
}

void add_schedule(LogLine& line, const Event& event) {
    if (!event.occurrence) return;
    line.fields.emplace_back("scheduleId", to_string(event.occurrence->schedule));
}

std::uint32_t retry_count_after(const Settled& settled) {
    const auto& attempt = settled.settlement.attempt;
    const bool counts = attempt && attempt->outcome == AttemptOutcome::retryable;
    return settled.event->retry_count + (counts ? 1 : 0);
}

/// Of the first attempt of the event; empty if none was sent.
std::optional<std::chrono::microseconds> lateness_after(const Settled& settled) {
    const Event& event = settled.event;
    const auto first =
        event.first_attempt_at ? event.first_attempt_at : settled.settlement.started_at;
    return first ? std::optional{*first - target_of(event)} : std::nullopt;
}

EventStatus status_after(const Settlement& settlement) {
    if (std::holds_alternative<RetryIn>(settlement.result)) return EventStatus::processing;
    return std::holds_alternative<Accepted>(settlement.result) ? EventStatus::completed
                                                               : EventStatus::failed;
}

std::string failure_of(const Settled& settled) {
    if (const auto* refused = std::get_if<Refused>(&settled.settlement.result)) {
        return refused->reason;
    }
    const auto& attempt = settled.settlement.attempt;
    if (!attempt) return {};
    const bool has_status = attempt->status_code && attempt->error_code == "HTTP_STATUS";
    const std::string detail =
        has_status ? std::to_string(*attempt->status_code) : attempt->error_text;
    return detail.empty() ? attempt->error_code : attempt->error_code + ' ' + detail;
}

LogLine head_of(const Settled& settled) {
    const Event& event = settled.event;
    const LogLevel level = level_of(settled);
    if (settled.late) {
        return line_of(level, "settle.late",
                       "the result arrived after the lease had expired; another instance has the "
                       "event, and the result is only recorded",
                       event);
    }
    if (std::holds_alternative<Accepted>(settled.settlement.result)) {
        return line_of(level, "event.completed", "delivered", event);
    }
    if (std::holds_alternative<Refused>(settled.settlement.result)) {
        return line_of(level, "event.failed", "not delivered; no attempts remain", event);
    }
    return line_of(level, "event.retrying", "not delivered; another attempt follows", event);
}

}  // namespace

LogLine claim_started_line(const Claimant& by) {
    return {.level = LogLevel::debug,
            .event_name = "event.claim_started",
            .message = "claiming due events",
            .correlation_id = {},
            .fields = {{"claimedBy", to_string(by)}}};
}

LogLine claim_failed_line(LogLevel level, const std::string& reason,
                          std::chrono::microseconds duration, const Claimant& by) {
    return {.level = level,
            .event_name = "event.claim_failed",
            .message = "due events could not be claimed; the claim is repeated",
            .correlation_id = {},
            .fields = {{"reason", reason},
                       {"durationMs", milliseconds(duration)},
                       {"claimedBy", to_string(by)}}};
}

LogLine claimed_line(std::size_t events, std::chrono::microseconds duration, const Claimant& by) {
    return {.event_name = "event.claimed",
            .message = "claimed due events",
            .correlation_id = {},
            .fields = {{"eventsClaimed", static_cast<std::int64_t>(events)},
                       {"durationMs", milliseconds(duration)},
                       {"claimedBy", to_string(by)}}};
}

LogLevel level_of(const Settled& settled) {
    const auto& result = settled.settlement.result;
    if (settled.late || std::holds_alternative<RetryIn>(result)) return LogLevel::warn;
    return std::holds_alternative<Accepted>(result) ? LogLevel::info : LogLevel::error;
}

LogLine settled_line(const Settled& settled, Instant now) {
    LogLine line = head_of(settled);
    auto& fields = line.fields;
    const Settlement& settlement = settled.settlement;
    if (settled.late) {
        fields.emplace_back("operation", "settle");
        fields.emplace_back("expectedVersion", static_cast<std::int64_t>(settlement.held.value));
        return line;
    }
    const Event& event = settled.event;
    fields.emplace_back("eventType", event.type);
    if (!settlement.by.worker.empty()) fields.emplace_back("claimedBy", settlement.by.worker);
    if (event.user) fields.emplace_back("userId", to_string(*event.user));
    fields.emplace_back("idempotencyKey", event.key.value);
    fields.emplace_back("attempt", std::int64_t{event.attempt.value});
    fields.emplace_back("retryCount", std::int64_t{retry_count_after(settled)});
    if (settlement.status_code) {
        fields.emplace_back("statusCode", std::int64_t{*settlement.status_code});
    }
    fields.emplace_back("durationMs", milliseconds(settlement.duration));
    fields.emplace_back("targetTimestampUTC", format_instant_millis(event.due));
    if (!std::holds_alternative<RetryIn>(settlement.result)) {
        fields.emplace_back("executedAt", format_instant_millis(now));
    }
    const auto late_by = lateness_after(settled);
    fields.emplace_back("lateExecution", late_by > late_after);
    if (late_by) {
        fields.emplace_back("latenessMs", milliseconds(*late_by));
    }
    if (std::string reason = failure_of(settled); !reason.empty()) {
        fields.emplace_back("failureReason", std::move(reason));
    }
    return line;
}

LogLine lease_expired_line(const Event& event, const char* operation,
                           const std::optional<Claimant>& holder) {
    LogLine line = line_of(LogLevel::warn, "lease.expired",
                           "a lease expired before its attempt was settled", event);
    line.fields.emplace_back("operation", operation);
    if (holder) line.fields.emplace_back("holder", to_string(*holder));
    return line;
}

LogLine heartbeat_lost_line(std::chrono::microseconds silent_for) {
    return {.level = LogLevel::warn,
            .event_name = "heartbeat.lost",
            .message =
                "the database did not renew this instance's heartbeat in time: its requests "
                "were aborted, and other instances may have taken its claims",
            .correlation_id = {},
            .fields = {{"silentMs", milliseconds(silent_for)}}};
}

LogLine heartbeat_failed_line(const std::string& reason) {
    return {.level = LogLevel::warn,
            .event_name = "heartbeat.failed",
            .message = "the heartbeat of this instance could not be renewed; it tries again",
            .correlation_id = {},
            .fields = {{"reason", reason}}};
}

LogLine instance_dead_line(InstanceId id, bool has_ended) {
    return {.level = LogLevel::warn,
            .event_name = "instance.dead",
            .message = has_ended ? "the process of an instance on this machine has ended: its "
                                   "claims are taken over"
                                 : "an instance sent no heartbeat: its claims are taken over",
            .correlation_id = {},
            .fields = {{"instance", to_string(id)}, {"ended", has_ended}}};
}

LogLine rescheduled_line(const EventMoved& moved) {
    const Event& event = moved.event;
    LogLine line = line_of(LogLevel::info, "event.rescheduled", "moved to another instant", event);
    add_schedule(line, event);
    line.fields.emplace_back("reason", moved.reason);
    line.fields.emplace_back("before", format_instant_millis(moved.before));
    line.fields.emplace_back("after", format_instant_millis(event.due));
    return line;
}

LogLine cancelled_line(const Event& event, const std::string& reason) {
    LogLine line = line_of(LogLevel::info, "event.cancelled", "will not be delivered", event);
    add_schedule(line, event);
    line.fields.emplace_back("reason", reason);
    line.fields.emplace_back("before", format_instant_millis(event.due));
    return line;
}

std::optional<LogLine> circuit_line(const ReceiverChange& change) {
    if (change.before == change.after) return std::nullopt;
    if (change.after == CircuitState::closed) {
        return circuit_closed_line(change.endpoint, "its probes succeeded");
    }
    if (change.after != CircuitState::open) return std::nullopt;
    const bool first = change.before == CircuitState::closed;
    return LogLine{
        .level = LogLevel::warn,
        .event_name = "endpoint.circuit_opened",
        .message = "its events wait until a probe succeeds",
        .correlation_id = {},
        .fields = {{"endpointId", to_string(change.endpoint)},
                   {"failureRatio", change.failure_ratio},
                   {"reason", first ? "too many of its attempts failed" : "its probe failed"}}};
}

LogLine circuit_closed_line(EndpointId endpoint, const std::string& reason) {
    return {.event_name = "endpoint.circuit_closed",
            .message = "its events are sent again",
            .correlation_id = {},
            .fields = {{"endpointId", to_string(endpoint)}, {"reason", reason}}};
}

LogLine endpoint_disabled_line(EndpointId endpoint, const std::string& reason) {
    return {.level = LogLevel::warn,
            .event_name = "endpoint.disabled",
            .message = "its events wait until it is enabled again",
            .correlation_id = {},
            .fields = {{"endpointId", to_string(endpoint)}, {"reason", reason}}};
}

LogLine lock_contended_line(const LockHeld& held) {
    return {.event_name = "lock.contended",
            .message = "another holder has the lock",
            .correlation_id = {},
            .fields = {{"name", held.name}, {"operation", "acquire"}, {"holder", held.holder}}};
}

void report_claim(std::span<const ClaimedEvent> claimed, std::chrono::microseconds duration,
                  const Claimant& by, base::Log& log, EngineObserver& observer) {
    if (log.wants(LogLevel::info)) log.write(claimed_line(claimed.size(), duration, by));
    std::size_t lost_attempts = 0;
    std::map<std::string_view, std::size_t> by_type;
    for (const ClaimedEvent& one : claimed) {
        ++by_type[one.event.type];
        if (!one.previous_lost) continue;
        ++lost_attempts;
        log.write(lease_expired_line(one.event, "claim", std::nullopt));
        if (one.event.retry_count == 1) observer.first_attempt_lost(one.event);
    }
    observer.claimed(claimed.size(), lost_attempts, claimed.front().event.updated_at, duration);
    for (const auto& [type, count] : by_type) {
        observer.transition(type, EventStatus::processing, count);
    }
}

void report_plan(const Planning& planning, std::span<const SharedEvent> claimed, base::Log& log,
                 EngineObserver& observer) {
    for (const auto& [type, count] : planning.stored) {
        if (count > 0) observer.transition(type, EventStatus::pending, count);
    }
    for (const DroppedEvent& dropped : planning.dropped) {
        if (dropped.reason.empty()) continue;
        const Event& event =
            *std::ranges::find(claimed, dropped.id, [](const Event& one) { return one.id; });
        observer.transition(event.type, EventStatus::cancelled, 1);
        log.write(cancelled_line(event, dropped.reason));
    }
}

void report_settled(std::span<const Settled> all, Instant now, base::Log& log,
                    EngineObserver& observer) {
    std::map<std::pair<std::string_view, EventStatus>, std::size_t> finished;
    for (const Settled& settled : all) {
        const Event& event = settled.event;
        if (log.wants(level_of(settled))) log.write(settled_line(settled, now));
        if (settled.late) {
            observer.settled_late(event);
            continue;
        }
        const EventStatus status = status_after(settled.settlement);
        observer.settled(
            {event, status, settled.settlement.duration, now, settled.settlement.started_at});
        if (status != EventStatus::processing) ++finished[{event.type, status}];
    }
    for (const auto& [what, count] : finished) {
        observer.transition(what.first, what.second, count);
    }
}

}  // namespace sundial
