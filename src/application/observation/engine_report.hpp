#pragma once

#include <chrono>
#include <span>

#include "application/delivery/worker.hpp"
#include "application/observation/observer.hpp"
#include "application/ports/event_queue.hpp"
#include "application/schedules/plan_successors.hpp"
#include "base/log.hpp"

/// Reports changes of events to the log and the observer, for instances and for pull workers.
namespace sundial {

/// One claim that returned events.
void report_claim(std::span<const ClaimedEvent> claimed, std::chrono::microseconds duration,
                  const Claimant& by, base::Log& log, EngineObserver& observer);
/// For claimed events: the stored successors, and the events that policies end.
void report_plan(const Planning& planning, std::span<const Event> claimed, base::Log& log,
                 EngineObserver& observer);
/// `now` is an estimate of the database's time.
void report_settled(const Settled& settled, Instant now, base::Log& log, EngineObserver& observer);

}  // namespace sundial
