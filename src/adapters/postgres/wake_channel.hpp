#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "application/ports/event_queue.hpp"
#include "base/log.hpp"

namespace sundial::postgres {

class Connection;

/// Hints between the instances of one database, by NOTIFY sundial_wake. A notification takes a lock
/// on the whole database at commit, so it is never part of a transaction that creates events.
/// Instead, many hints are sent together on a dedicated connection, and only for events due before
/// the other instances' next peek. If all hints are lost, an event is late by a tick at most.
class WakeChannel final : public Wakeups {
public:
    struct Settings {
        std::string url;  // direct connection to the server: a pooler would not forward hints
        std::chrono::microseconds tick;
        std::function<Instant()> now;  // the database's clock, approximately
    };
    /// Forwards received hints to `local`, which must outlive this object.
    WakeChannel(Settings settings, Wakeups& local, base::Log& log);
    ~WakeChannel() override;
    WakeChannel(const WakeChannel&) = delete;
    WakeChannel& operator=(const WakeChannel&) = delete;

    /// Sends the hint to this instance, and to the others if it is due soon enough.
    void due_at(Instant when) override;

    /// Whether hints from the other instances arrive at the moment.
    [[nodiscard]] bool listening() const { return listening_; }

private:
    void run();
    void listen();
    void serve(Connection& connection);
    /// Waits until there is something to do, at most `at_most`; negative: no limit.
    void wait(int socket, std::chrono::milliseconds at_most);
    void signal_thread() const;
    void warn(std::string message);

    const Settings settings_;
    Wakeups& local_;
    base::Log& log_;
    const int signal_;  // an eventfd
    std::atomic<bool> to_notify_{false};
    std::atomic<bool> listening_{false};
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

}  // namespace sundial::postgres
