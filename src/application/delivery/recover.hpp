#pragma once

#include <optional>

#include "application/ports/event_queue.hpp"
#include "application/ports/mono.hpp"
#include "base/log.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// Logs the recovery of events that came due while no scheduler ran: when it began, and when all of
/// them had been claimed and settled. The worker processes them as usual.
class Recovery {
public:
    explicit Recovery(base::Log& log) : log_(log) {}
    /// `backlog` as read at `database_now`. Logs nothing if no event was missed.
    void start(const Backlog& backlog, Instant database_now, Mono now);
    /// The recovery ends when all events due by then have been claimed; empty if no recovery is
    /// under way.
    [[nodiscard]] std::optional<Instant> until() const;
    void finish(Mono now);

private:
    struct Underway {
        Backlog backlog;
        Instant until;
        Mono since;
    };
    base::Log& log_;
    std::optional<Underway> underway_;
};

}  // namespace sundial
