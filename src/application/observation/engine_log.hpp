#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "application/delivery/admission.hpp"
#include "application/delivery/worker.hpp"
#include "application/observation/observer.hpp"
#include "application/ports/event_queue.hpp"
#include "application/schedules/plan_successors.hpp"
#include "base/log.hpp"
#include "domain/error.hpp"
#include "domain/event.hpp"
#include "domain/ids.hpp"

/// The engine's log lines, with the fields of docs/reference/logs.md.
namespace sundial {

/// A claim that begins; of level debug.
[[nodiscard]] base::LogLine claim_started_line(const Claimant& by);
/// A claim that ended without an answer. A claim that may have been carried out is left to its
/// lease.
[[nodiscard]] base::LogLine claim_failed_line(base::LogLevel level, const std::string& reason,
                                              std::chrono::microseconds duration,
                                              const Claimant& by);
[[nodiscard]] base::LogLine claimed_line(std::size_t events, std::chrono::microseconds duration,
                                         const Claimant& by);
/// event.completed, event.failed, event.retrying; or settle.late if the event is unchanged.
[[nodiscard]] base::LogLine settled_line(const Settled& settled, Instant now);
[[nodiscard]] base::LogLevel level_of(const Settled& settled);  // of settled_line()
/// A lease that `operation` found expired: a claim finds an earlier holder's, an extension our own.
[[nodiscard]] base::LogLine lease_expired_line(const Event& event, const char* operation,
                                               const std::optional<Claimant>& holder);
/// This instance renewed its heartbeat after it had been silent for that long.
[[nodiscard]] base::LogLine heartbeat_lost_line(std::chrono::microseconds silent_for);
[[nodiscard]] base::LogLine heartbeat_failed_line(const std::string& reason);
/// Another instance stopped renewing its heartbeat, or its process on this machine has ended.
[[nodiscard]] base::LogLine instance_dead_line(InstanceId id, bool has_ended);
/// An event with another due instant than before.
struct EventMoved {
    Event event;  // after the move
    Instant before;
    std::string reason;
};
[[nodiscard]] base::LogLine rescheduled_line(const EventMoved& moved);
/// The event is or will be cancelled; `event` may be its state before or after that.
[[nodiscard]] base::LogLine cancelled_line(const Event& event, const std::string& reason);
/// A circuit was opened or closed; empty if it was neither.
[[nodiscard]] std::optional<base::LogLine> circuit_line(const ReceiverChange& change);
[[nodiscard]] base::LogLine circuit_closed_line(EndpointId endpoint, const std::string& reason);
[[nodiscard]] base::LogLine endpoint_disabled_line(EndpointId endpoint, const std::string& reason);
/// A caller requests a lock that another one holds.
[[nodiscard]] base::LogLine lock_contended_line(const LockHeld& held);

// Reports changes of events to the log and the observer, for instances and for pull workers.

/// One claim that returned events.
void report_claim(std::span<const ClaimedEvent> claimed, std::chrono::microseconds duration,
                  const Claimant& by, base::Log& log, EngineObserver& observer);
/// For claimed events: the stored successors, and the events that policies end.
void report_plan(const Planning& planning, std::span<const SharedEvent> claimed, base::Log& log,
                 EngineObserver& observer);
/// One batch. `now` is an estimate of the database's time.
void report_settled(std::span<const Settled> all, Instant now, base::Log& log,
                    EngineObserver& observer);

}  // namespace sundial
