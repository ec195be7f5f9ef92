#pragma once

#include <chrono>
#include <optional>

namespace sundial::server {

/// Waits for SIGTERM, SIGINT and SIGHUP. Construct it before any thread starts, because threads
/// inherit the mask.
class Signals {
public:
    Signals();
    /// The signal that arrives within `duration`; empty if none does.
    [[nodiscard]] std::optional<int> wait_for(std::chrono::milliseconds duration) const;
    /// Waits for the next signal, including SIGHUP. The other functions ignore SIGHUP.
    [[nodiscard]] int wait() const;
    /// From now on, another signal ends the process at once, with exit code 130.
    void exit_on_next() const;
    /// The same for a signal that arrives within `duration`.
    void exit_if_within(std::chrono::milliseconds duration) const;
};

}  // namespace sundial::server
