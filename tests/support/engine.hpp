#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "application/delivery/deliver_event.hpp"
#include "application/delivery/handlers.hpp"
#include "application/delivery/worker_loop.hpp"
#include "application/schedules/plan_successors.hpp"
#include "support/control_plane.hpp"
#include "support/fake_delivery.hpp"
#include "support/faulty_queue.hpp"

namespace sundial {

/// Counts its calls.
class CountingObserver final : public EngineObserver {
public:
    void claimed(std::size_t events, std::size_t lost, Instant,
                 std::chrono::microseconds) override {
        claims.push_back(events);
        lost_attempts += lost;
    }
    void transition(std::string_view type, EventStatus status, std::size_t count) override {
        transitions[{std::string{type}, status}] += count;
    }
    void started(const AttemptStarted& one) override {
        ++tries;
        if (one.first) lateness.push_back(one.lateness);
    }
    void first_attempt_lost(const Event& event) override {
        lateness.push_back(sundial::lateness(event).value());
    }
    void delivered(const AttemptEnded& one) override {
        ++attempts_ended;
        last_verdict = one.outcome.verdict;
    }
    void settled_late(const Event&) override { ++late_settles; }
    void lease_lost(const Event&) override { ++leases_lost; }

    std::vector<std::size_t> claims;
    std::size_t lost_attempts = 0;
    std::map<std::pair<std::string, EventStatus>, std::size_t> transitions;
    std::size_t tries = 0, attempts_ended = 0;
    std::vector<std::chrono::microseconds> lateness;  // of first attempts
    std::optional<Verdict> last_verdict;
    std::size_t late_settles = 0, leases_lost = 0;
};

/// The engine on the same store as the control plane. Nothing runs by itself: `drain()`
/// handles everything that is due, and `advance()` moves the time first. `a_loop()` starts another
/// instance.
class Engine : public ControlPlane {
protected:
    WorkerSettings worker_settings(InstanceId instance = instance_a) {
        return {.instance = instance,
                .shards = queue.shards(),
                .claims_at_once = queue.claims_at_once(),
                .clock_stands_still = true};
    }
    std::unique_ptr<WorkerLoop> a_loop(InstanceId instance = instance_a) {
        return std::make_unique<WorkerLoop>(
            worker_settings(instance), WorkerPorts{faulty, plan, deliver, admit, judge, monotonic,
                                                   random, log, observer, permit});
    }
    /// The process dies and restarts. Its unsettled claims wait until their leases expire.
    void crash() { loop = a_loop(an_id<InstanceId>()); }

    TickCounters drain() { return loop->take_over().drain(std::nullopt); }
    void pass(std::chrono::microseconds time) {
        clock.advance(time);
        monotonic.time += time;
    }
    /// Moves the time, then handles everything that is due by then.
    TickCounters advance(std::chrono::microseconds time) { return pass(time), drain(); }
    /// Executes `count` commands; waits end at once.
    void turn(int count) {
        for (int i = 0; i < count; ++i) {
            if (const auto until = loop->turn()) monotonic.time = std::max(monotonic.time, *until);
        }
    }

    Event a_due_event(const Endpoint& endpoint) {
        NewEvent requested = a_reminder();
        requested.target.utc = "now";
        requested.endpoint = to_string(endpoint.id);
        return scheduled(requested);
    }
    /// Gives the schedule `birthday` an endpoint.
    Endpoint birthdays_go_to(const Endpoint& endpoint) {
        const Endpoint existing = an_existing_endpoint(endpoint);
        change_birthday([&](Schedule& schedule) { schedule.endpoint = existing.id; });
        return existing;
    }

    [[nodiscard]] std::vector<base::LogLine> logged(std::string_view event_name) const {
        std::vector<base::LogLine> found;
        for (const auto& line : log.lines()) {
            if (line.event_name == event_name) found.push_back(line);
        }
        return found;
    }

    FakeDelivery& webhook = to_webhooks;
    FakeDelivery& inbox = to_inboxes;
    FakeDelivery in_process;
    Handlers handlers;
    PlanSuccessors plan{store, zones, ids};
    DeliverEvent deliver{store, zones, ids, {kinds, &in_process, handlers}};
    FaultyQueue faulty{queue};
    FakeRandom random;
    AdmitEvents admit{store, random};
    JudgeReceivers judge{store, CircuitPolicy{}};
    CountingObserver observer;
    SendPermit permit;
    std::unique_ptr<WorkerLoop> loop = a_loop();
};

/// The value of a field of a log line; throws if the line lacks the field.
template <class T>
[[nodiscard]] T field(const base::LogLine& line, std::string_view name) {
    for (const auto& [key, value] : line.fields) {
        if (key == name) return std::get<T>(value);
    }
    throw std::out_of_range("no field " + std::string{name});
}
[[nodiscard]] inline bool has_field(const base::LogLine& line, std::string_view name) {
    return std::ranges::any_of(line.fields, [&](const auto& entry) { return entry.first == name; });
}

}  // namespace sundial
