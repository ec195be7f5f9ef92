#pragma once

#include <optional>

#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "base/log.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// Logs the recovery of events that came due while no scheduler ran: when it began, and when all of
/// them had been attempted. The worker processes them as usual. A process that ends during a
/// recovery leaves events that were not attempted, so the next one begins a recovery for those.
class Recovery {
public:
    explicit Recovery(base::Log& log) : log_(log) {}
    /// `backlog` as read at `database_now`. Logs nothing if no event was missed.
    void start(const Backlog& backlog, Instant database_now, Mono now);

    /// The events to look for: those that were due in this time and have not been attempted.
    struct Window {
        Instant from, until;
    };
    /// Empty if no recovery is under way.
    [[nodiscard]] std::optional<Window> window() const;
    /// Whether to query them now.
    [[nodiscard]] bool check_due(Mono now) const { return now >= check_at_; }
    /// `first` was found; if empty, no event of the window is left and the recovery ends.
    void checked(std::optional<Instant> first, Mono now);
    /// The query had no result and is repeated later.
    void check_failed(Mono now);

private:
    void finish(Mono now);

    struct Underway {
        Backlog backlog;
        Window window;
        Mono since;
    };
    base::Log& log_;
    std::optional<Underway> underway_;
    Mono check_at_{0};
};

}  // namespace sundial
