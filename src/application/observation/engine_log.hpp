#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "application/delivery/admission.hpp"
#include "application/delivery/worker.hpp"
#include "base/log.hpp"
#include "domain/event.hpp"
#include "domain/ids.hpp"
#include "domain/lock_error.hpp"

/// The lines that the engine writes, with the fields of docs/reference/logs.md.
namespace sundial {

[[nodiscard]] base::LogLine claimed_line(std::size_t events, std::chrono::microseconds duration,
                                         const Claimant& by);
/// event.completed, event.failed, event.retrying; or settle.late if nothing of it has changed.
[[nodiscard]] base::LogLine settled_line(const Settled& settled, Instant now);
[[nodiscard]] base::LogLevel level_of(const Settled& settled);  // of that line
/// A lease found expired by `operation`: a claim (of whoever held it), or an extension (our own).
[[nodiscard]] base::LogLine lease_expired_line(const Event& event, const char* operation,
                                               const std::optional<Claimant>& holder);
/// An event that waits for another instant than before.
struct EventMoved {
    Event event;  // as it is now
    Instant before;
    std::string reason;
};
[[nodiscard]] base::LogLine rescheduled_line(const EventMoved& moved);
/// It is cancelled, or is to be: the event as it was or as it is now.
[[nodiscard]] base::LogLine cancelled_line(const Event& event, const std::string& reason);
/// A circuit was opened or closed; nothing if it was neither.
[[nodiscard]] std::optional<base::LogLine> circuit_line(const ReceiverChange& change);
[[nodiscard]] base::LogLine circuit_closed_line(EndpointId endpoint, const std::string& reason);
[[nodiscard]] base::LogLine endpoint_disabled_line(EndpointId endpoint, const std::string& reason);
/// Somebody wants a lock that another has.
[[nodiscard]] base::LogLine lock_contended_line(const LockHeld& held);

}  // namespace sundial
