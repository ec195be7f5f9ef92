#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/presence.hpp"
#include "application/ports/send_permit.hpp"
#include "base/log.hpp"
#include "domain/liveness.hpp"

namespace sundial {

/// The rights of this instance under its heartbeat, and its knowledge of other instances.
struct Alive {
    Mono until = Mono::max();  // it may claim and send until then
    Mono since = Mono::min();  // earlier claims may have been taken by other instances
    DeadInstances dead{};
    friend bool operator==(const Alive&, const Alive&) = default;
};

/// The heartbeat of this instance, on a thread of its own, because a database call of the worker
/// may take longer than the longest pause between two renewals.
class InstanceHeartbeat {
public:
    struct Ports {
        EventQueue& queue;
        const MonotonicClock& monotonic;
        base::Log& log;
        SendPermit& permit;
        Presence& presence = no_presence;
    };
    InstanceHeartbeat(InstanceId own, const Ports& ports) : own_(own), ports_(ports) {}

    /// From now on this instance may claim and send only while its heartbeat is renewed.
    void begin();
    /// One renewal that was sent, with its answer.
    struct Beat {
        Mono sent_at;
        std::optional<Renewal> renewal{};
        std::optional<std::string> failure{};
    };
    /// Calls the database. Never throws.
    [[nodiscard]] Beat send();
    /// Its answer has arrived, which extends the permit. Returns when to send the next one;
    /// Mono::max() if the database needs no heartbeats.
    [[nodiscard]] Mono answered(const Beat& beat);
    [[nodiscard]] Mono beat() { return answered(send()); }
    /// Leases alone count from now on. `idle`: the instance holds no claim.
    void end(bool idle);

    /// The state after the latest beat. Thread-safe.
    [[nodiscard]] Alive state() const;

private:
    [[nodiscard]] Mono renewed(const Renewal& renewal, Mono sent_at);
    /// The instances to take over from: found dead by their heartbeats, or ended on this machine.
    [[nodiscard]] DeadInstances dead_of(const Renewal& renewal, const DeadInstances& known) const;
    void failed(const std::string& why);
    void set(Alive state);

    const InstanceId own_;
    const Ports ports_;
    bool failing_ = false;
    mutable std::mutex mutex_;
    Alive state_;
};

}  // namespace sundial
