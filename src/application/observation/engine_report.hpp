#pragma once

#include <chrono>
#include <span>

#include "application/delivery/worker.hpp"
#include "application/observation/observer.hpp"
#include "application/ports/event_queue.hpp"
#include "application/schedules/plan_successors.hpp"
#include "base/log.hpp"

/// What becomes of events, told to the log and to whoever watches: whether an instance works on
/// them or a pull worker does.
namespace sundial {

/// One claim that found something.
void report_claim(std::span<const ClaimedEvent> claimed, std::chrono::microseconds duration,
                  const Claimant& by, base::Log& log, EngineObserver& observer);
/// Of events that were claimed: what was stored of their schedules, and which of them policy ends.
void report_plan(const Planning& planning, std::span<const Event> claimed, base::Log& log,
                 EngineObserver& observer);
/// `now` is the database's time, as well as it is known.
void report_settled(const Settled& settled, Instant now, base::Log& log, EngineObserver& observer);

}  // namespace sundial
