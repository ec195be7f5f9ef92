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
    std::string url{};                 // for pings of the engine itself; empty: none
    std::chrono::seconds every{60};    // between two of them
    std::chrono::seconds apart{15};    // minimum between two pings of one schedule
    std::chrono::seconds timeout{10};  // of a request
    /// Before the second, third, … request of a ping that was not accepted.
    std::vector<std::chrono::seconds> retries{std::chrono::seconds{2}, std::chrono::seconds{10},
                                              std::chrono::seconds{30}};
};

/// Counts of pings by their outcome.
struct PingCounts {
    std::uint64_t schedules_accepted = 0, schedules_failed = 0;
    std::uint64_t engine_accepted = 0, engine_failed = 0;
};

/// Sends pings to a monitoring service outside, which raises an alarm when they stop: after events
/// of a schedule with a ping URL have completed, and at an interval for the engine. A ping is a
/// POST request under the rules of webhooks. It uses no slot of the worker. A lost ping is not
/// repeated after a restart; the next event of the schedule causes the next one.
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

    /// Returns at once; run() sends the request.
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
    /// The content of a schedule's ping.
    struct Report {
        ScheduleId schedule;
        std::optional<std::string> external_id{};
        std::string event_type{};
        EventId latest;
        Instant at;                // when the latest completed
        std::uint64_t events = 0;  // that no accepted ping has reported
    };
    struct Ping {
        std::string url;
        std::optional<Report> report{};  // empty: the engine's
        std::size_t tries = 0;  // requests since the latest ping that was accepted or given up
        Mono due{};
    };
    struct Shared;

    /// False once stop() was called.
    [[nodiscard]] bool wait(Mono until);
    void take_results(Mono now);
    void find_schedules(Mono now);
    void report_later(const Schedule& schedule, Report report, Mono now);
    void ping_engine(Mono now);
    void send_due(Mono now);
    void send(const Subject& subject, Ping ping);
    void finish(const Subject& subject, Ping ping, const Outcome& outcome, Mono now);
    [[nodiscard]] static std::string payload_of(const Ping& ping);

    const PingSettings settings_;
    Ports ports_;
    std::shared_ptr<Shared> shared_;  // outlives this while requests are under way
    // Of run() only:
    std::map<Subject, Ping> waiting_;  // for their time
    std::map<Subject, Ping> under_way_;
    std::map<Subject, Mono> pinged_;  // when the latest was accepted or given up
    Mono next_engine_ping_{};
    Mono read_at_{};  // when completed schedules may be read next
};

}  // namespace sundial
