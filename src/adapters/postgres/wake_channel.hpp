#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "application/ports/wakeups.hpp"
#include "base/log.hpp"

namespace sundial::postgres {

class Connection;

/// Hints between the instances of one database: NOTIFY sundial_wake. A notification takes a lock on
/// the whole database when it commits, so it is never part of a create's transaction: many hints go
/// together, on a connection of their own, and only those about what is due before the others look
/// by themselves. Losing all of them costs a tick at most.
class WakeChannel final : public Wakeups {
public:
    struct Settings {
        std::string url;  // leads to the server itself: a pooler would not pass hints on
        std::chrono::microseconds tick;
        std::function<Instant()> now;  // the database's clock, about
    };
    /// What it hears goes to `local`, which outlives it.
    WakeChannel(Settings settings, Wakeups& local, base::Log& log);
    ~WakeChannel() override;
    WakeChannel(const WakeChannel&) = delete;
    WakeChannel& operator=(const WakeChannel&) = delete;

    /// To this instance, and to the others if it is soon enough.
    void due_at(Instant when) override;

    /// Whether it hears the others at the moment.
    [[nodiscard]] bool listening() const { return listening_; }

private:
    void run();
    void listen();
    void serve(Connection& connection);
    /// Until something is to be done, or `at_most`; negative: however long.
    void wait(int socket, std::chrono::milliseconds at_most);
    void stir() const;
    void warn(std::string message);

    const Settings settings_;
    Wakeups& local_;
    base::Log& log_;
    const int stirred_;  // an eventfd
    std::atomic<bool> to_tell_{false};
    std::atomic<bool> listening_{false};
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

}  // namespace sundial::postgres
