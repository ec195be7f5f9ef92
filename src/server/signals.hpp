#pragma once

#include <chrono>
#include <optional>

namespace sundial::server {

/// SIGTERM, SIGINT and SIGHUP as something to wait for. Make one before any thread is started:
/// threads inherit the mask.
class Signals {
public:
    Signals();
    /// The signal that came within `duration`, if one did.
    [[nodiscard]] std::optional<int> wait_for(std::chrono::milliseconds duration) const;
    /// The next one, SIGHUP included; the others do not hear of that.
    [[nodiscard]] int wait() const;
    /// From now on a further signal ends the process at once, with exit code 130.
    void exit_on_next() const;
    /// The same for one that came within `duration`.
    void exit_if_within(std::chrono::milliseconds duration) const;
};

}  // namespace sundial::server
