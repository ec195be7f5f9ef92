#pragma once

#include <optional>

#include "application/ports/event_queue.hpp"
#include "application/ports/mono.hpp"
#include "base/log.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// Tells the story of what came due while nobody was there: that it began, and when all of it had
/// been claimed and settled. The work itself is the worker's ordinary work.
class Recovery {
public:
    explicit Recovery(base::Log& log) : log_(log) {}
    /// `backlog` as it was at `database_now`. Says nothing if nothing was missed.
    void start(const Backlog& backlog, Instant database_now, Mono now);
    /// What must have been claimed for the end; empty if there is nothing to wait for.
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
