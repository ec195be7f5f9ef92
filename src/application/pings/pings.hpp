#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "application/observation/observer.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/delivery.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "base/log.hpp"

namespace sundial {

struct PingSettings {
    std::string url{};                 // of the engine's own pings; empty: none
    std::chrono::seconds every{60};    // between two of them
    std::chrono::seconds apart{15};    // between two pings of one schedule: services allow few
    std::chrono::seconds timeout{10};  // of a request
    /// Before the second, third, … request of a ping that was not accepted.
    std::vector<std::chrono::seconds> retries{std::chrono::seconds{2}, std::chrono::seconds{10},
                                              std::chrono::seconds{30}};
};

/// Pings by what became of them.
struct PingCounts {
    std::uint64_t schedules_accepted = 0, schedules_failed = 0;
    std::uint64_t engine_accepted = 0, engine_failed = 0;
};

/// Tells a service outside that all is well, so that silence is the alarm: after events of a
/// schedule that has a ping URL completed, and for the engine at an interval. A ping is a POST
/// request by the rules of webhooks. It uses no slot of the worker and waits for none. A ping that
/// is lost, with its process or with the service, is not made up for: the next one comes with the
/// next event.
class Pings final : public EngineObserver {
public:
    struct Ports {
        Store& store;
        Delivery* delivery;  // of webhooks; null: there are none
        Ids& ids;
        const MonotonicClock& monotonic;
        base::Log& log;
        std::function<bool()> engine_works;  // whether the engine's ping may be sent now
        std::function<Instant()> time_of_day;
    };
    Pings(PingSettings settings, Ports ports);

    /// Quick: the request is sent by run().
    void settled(const AttemptSettled& attempt_settled) override;

    /// Until stop(). Never throws.
    void run();
    /// Does all work that is due. Returns the latest time for the next turn, if nothing else
    /// happens. Only for a caller that takes the place of run().
    [[nodiscard]] Mono turn(Mono now);
    void stop();
    [[nodiscard]] PingCounts counts() const;

private:
    /// The subject of a ping: a schedule, or the engine.
    using Subject = std::optional<ScheduleId>;
    struct Ping {
        std::string url;
        std::string payload;
        std::size_t tries = 0;
        Mono due{};
    };
    struct Shared;

    /// False once stop() was called.
    [[nodiscard]] bool wait(Mono until);
    void take_results(Mono now);
    void find_schedules(Mono now);
    void ping_engine(Mono now);
    void send_due(Mono now);
    void send(const Subject& subject, Ping ping);
    void finish(const Subject& subject, Ping ping, const Outcome& outcome, Mono now);

    const PingSettings settings_;
    Ports ports_;
    std::shared_ptr<Shared> shared_;  // outlives this while requests are under way
    // Of run() only:
    std::map<Subject, Ping> waiting_;  // for their time
    std::map<Subject, Ping> under_way_;
    std::map<Subject, Mono> pinged_;  // when the latest was accepted
    Mono next_engine_ping_{};
    Mono read_at_{};  // when completed schedules may be read next
};

}  // namespace sundial
