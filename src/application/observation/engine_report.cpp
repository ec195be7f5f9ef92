#include "application/observation/engine_report.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "application/observation/engine_log.hpp"

namespace sundial {

void report_claim(std::span<const ClaimedEvent> claimed, std::chrono::microseconds duration,
                  const Claimant& by, base::Log& log, EngineObserver& observer) {
    log.write(claimed_line(claimed.size(), duration, by));
    std::size_t lost_attempts = 0;
    std::map<std::string_view, std::size_t> by_type;
    for (const ClaimedEvent& one : claimed) {
        ++by_type[one.event.type];
        if (!one.previous_lost) continue;
        ++lost_attempts;
        log.write(lease_expired_line(one.event, "claim", std::nullopt));
    }
    observer.claimed(claimed.size(), lost_attempts, duration);
    for (const auto& [type, count] : by_type) {
        observer.transition(type, EventStatus::processing, count);
    }
}

void report_plan(const Planning& planning, std::span<const Event> claimed, base::Log& log,
                 EngineObserver& observer) {
    for (const auto& [type, count] : planning.stored) {
        if (count > 0) observer.transition(type, EventStatus::pending, count);
    }
    for (const DroppedEvent& dropped : planning.dropped) {
        if (dropped.reason.empty()) continue;
        const auto event = std::ranges::find(claimed, dropped.id, &Event::id);
        observer.transition(event->type, EventStatus::cancelled, 1);
        log.write(cancelled_line(*event, dropped.reason));
    }
}

void report_settled(const Settled& settled, Instant now, base::Log& log, EngineObserver& observer) {
    const auto& result = settled.settlement.result;
    if (log.wants(level_of(settled))) log.write(settled_line(settled, now));
    if (settled.late) return observer.settled_late(settled.event);
    if (std::holds_alternative<RetryIn>(result)) return;
    observer.transition(
        settled.event.type,
        std::holds_alternative<Accepted>(result) ? EventStatus::completed : EventStatus::failed, 1);
}

}  // namespace sundial
