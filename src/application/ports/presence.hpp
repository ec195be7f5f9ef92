#pragma once

#include "domain/ids.hpp"

namespace sundial {

/// Which instances run on this machine. Its kernel knows at once that a process has ended; a
/// heartbeat shows it only after seconds (ADR 0052). An implementation may know nothing, which only
/// delays the takeover, but it must never report that a running instance has ended. Calls do not
/// overlap.
class Presence {
public:
    virtual ~Presence() = default;
    /// From now on other processes on this machine can see that instance `own` runs, and when it
    /// has ended in any way. Call it before the first heartbeat of `own`. Never throws.
    virtual void show(InstanceId own) = 0;
    /// `own` ends and holds no claim, so other instances need not notice its end. Never throws.
    virtual void withdraw(InstanceId own) = 0;
    /// Whether that instance ran on this machine and its process has ended. False if unknown.
    /// Never throws.
    [[nodiscard]] virtual bool has_ended(InstanceId other) = 0;
};

/// Knows nothing.
class NoPresence final : public Presence {
public:
    void show(InstanceId /*own*/) override {}
    void withdraw(InstanceId /*own*/) override {}
    [[nodiscard]] bool has_ended(InstanceId /*other*/) override { return false; }
};
inline NoPresence no_presence;

}  // namespace sundial
