#include "application/delivery/recover.hpp"

#include <chrono>
#include <utility>

#include "domain/time/text.hpp"

namespace sundial {
namespace {

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
    log_.write(line_of("recovery.started", "events became due while no scheduler ran", backlog));
    underway_ = Underway{backlog, database_now, now};
}

std::optional<Instant> Recovery::until() const {
    return underway_ ? std::optional{underway_->until} : std::nullopt;
}

void Recovery::finish(Mono now) {
    auto line =
        line_of("recovery.finished", "all missed events have been attempted", underway_->backlog);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(now - underway_->since);
    line.fields.emplace_back("durationMs", std::int64_t{took.count()});
    log_.write(std::move(line));
    underway_.reset();
}

}  // namespace sundial
