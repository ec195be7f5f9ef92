#include "application/delivery/recover.hpp"

#include <chrono>
#include <utility>

#include "domain/time/text.hpp"

namespace sundial {
namespace {

/// Between two queries.
constexpr Mono recovery_check_interval = std::chrono::seconds{1};

base::LogLine line_of(const char* event_name, std::string message, const Backlog& backlog) {
    return {.event_name = event_name,
            .message = std::move(message),
            .correlation_id = {},
            .fields = {{"missedCount", static_cast<std::int64_t>(backlog.missed)},
                       {"oldestTarget", format_instant_millis(backlog.oldest)},
                       {"newestTarget", format_instant_millis(backlog.newest)}}};
}

}  // namespace

void Recovery::start(const Backlog& backlog, Instant database_now, Mono now) {
    if (backlog.missed == 0) return;
    log_.write(line_of(
        "recovery.started",
        "events came due and were not attempted: no scheduler ran, or it ended first", backlog));
    underway_ = Underway{backlog, {backlog.oldest, database_now}, now};
}

std::optional<Recovery::Window> Recovery::window() const {
    return underway_ ? std::optional{underway_->window} : std::nullopt;
}

void Recovery::checked(std::optional<Instant> first, Mono now) {
    if (!first) return finish(now);
    underway_->window.from = *first;
    check_at_ = now + recovery_check_interval;
}

void Recovery::check_failed(Mono now) { check_at_ = now + recovery_check_interval; }

void Recovery::finish(Mono now) {
    auto line = line_of(
        "recovery.finished",
        "every missed event has been attempted, unless it waits for an endpoint or a schedule",
        underway_->backlog);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(now - underway_->since);
    line.fields.emplace_back("durationMs", std::int64_t{took.count()});
    log_.write(std::move(line));
    underway_.reset();
}

}  // namespace sundial
