#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/engine.hpp"

namespace sundial {
namespace {

using testing::SizeIs;

/// A receiver whose requests take a fixed time.
class TimedReceiver final : public Delivery {
public:
    explicit TimedReceiver(Clock& clock) : clock_(clock) {}
    void start(DeliveryRequest request, std::function<void(Outcome)> done) override {
        starts.push_back(clock_.now());
        attempts.push_back(request.event->attempt);
        under_way_.emplace(clock_.now() + takes, std::move(done));
        max = std::max(max, under_way_.size());
    }
    void abandon(const Event& /*event*/) override {}
    [[nodiscard]] Instant next_end() const {
        return under_way_.empty() ? never : under_way_.begin()->first;
    }
    void end_due() {
        while (!under_way_.empty() && under_way_.begin()->first <= clock_.now()) {
            const auto done = std::move(under_way_.begin()->second);
            under_way_.erase(under_way_.begin());
            Outcome outcome = accepted_outcome();
            outcome.duration = takes;
            done(std::move(outcome));
        }
    }

    std::chrono::microseconds takes = 10ms;
    std::vector<Instant> starts;
    std::vector<Attempt> attempts;
    std::size_t max = 0;  // at once

private:
    Clock& clock_;
    std::multimap<Instant, std::function<void(Outcome)>> under_way_;
};

/// How well instances use an endpoint's limit, on a manual clock.
class LimitUsageTest : public Engine {
protected:
    /// Makes `count` due events for each endpoint, in turn.
    void given_events(std::vector<Endpoint> endpoints, std::size_t count) {
        for (Endpoint& one : endpoints) one = an_existing_endpoint(one);
        for (std::size_t i = 0; i < count; ++i) {
            for (const Endpoint& one : endpoints) events.push_back(a_due_event(one).id);
        }
    }
    /// Lets instances deliver all events. Each of their commands takes `cost`.
    void deliver_all(std::size_t instances, std::chrono::microseconds cost) {
        const std::size_t count = events.size();
        std::vector<std::unique_ptr<WorkerLoop>> loops;
        for (std::size_t i = 0; i < instances; ++i) {
            WorkerSettings settings = worker_settings(an_id<InstanceId>());
            settings.clock_stands_still = false;
            loops.push_back(std::make_unique<WorkerLoop>(
                settings, WorkerPorts{faulty, plan, timed_deliver, admit, judge, monotonic, random,
                                      log, observer, permit}));
        }
        const Mono began = monotonic.time;
        while (receiver.starts.size() < count && monotonic.time < began + 10min) {
            if (step_back > 0us && receiver.starts.size() >= count / 2) {
                clock.advance(-std::exchange(step_back, 0us));
            }
            Mono next = Mono::max();
            for (const auto& one : loops) next = std::min(next, turn_until_idle(*one, cost));
            const auto to_end = std::max<std::chrono::microseconds>(
                0us, std::min(receiver.next_end(), clock.now() + 1h) - clock.now());
            pass(std::min(to_end, std::max<std::chrono::microseconds>(0us, next - monotonic.time)));
            receiver.end_due();
        }
        ASSERT_THAT(receiver.starts, SizeIs(count));
        took = receiver.starts.back() - receiver.starts.front();
    }
    /// Returns when it has something to do again.
    Mono turn_until_idle(WorkerLoop& one, std::chrono::microseconds cost) {
        for (int turns = 0; turns < 100'000; ++turns) {
            const Mono until = one.turn().value();
            if (until > monotonic.time) return until;
            pass(cost);
            receiver.end_due();
        }
        throw std::logic_error("the loop always has something to do");
    }
    void expect_no_attempt_but_the_first() {
        for (const Attempt attempt : receiver.attempts) EXPECT_EQ(attempt, Attempt{1});
        std::size_t recorded = 0;
        for (const EventId id : events) {
            for (const AttemptRecord& one :
                 in_read(store, [&](Transaction& tx) { return tx.events().attempts_of(id); })) {
                if (one.outcome != AttemptOutcome::succeeded) ++recorded;
            }
        }
        EXPECT_EQ(recorded, 0U) << "attempts of events that waited for a limit";
    }

    TimedReceiver receiver{clock};
    EndpointKinds timed_kinds = fake_kinds(receiver, to_inboxes);
    DeliverEvent timed_deliver{store, zones, ids, {timed_kinds, &in_process, handlers}};
    std::vector<EventId> events;
    std::chrono::microseconds step_back{0};  // of the database's clock, halfway
    std::chrono::microseconds took{0};
};

struct Paced {
    std::string name;
    RateLimit rate;
    std::size_t instances = 1;
    std::chrono::microseconds cost{0};  // of one command
    friend void PrintTo(const Paced& paced, std::ostream* out) { *out << paced.name; }
};
class RateUsageTest : public LimitUsageTest, public testing::WithParamInterface<Paced> {};

TEST_P(RateUsageTest, UsesTheRateWellAndNeverExceedsIt) {
    const auto& [name, rate, instances, cost] = GetParam();
    const std::size_t count = rate.burst + std::size_t{5} * rate.per_second;
    given_events({an_endpoint().limited_to(rate)}, count);
    deliver_all(instances, cost);

    const double ideal = static_cast<double>(count - rate.burst) / rate.per_second;
    EXPECT_LE(std::chrono::duration<double>(took).count(), ideal / 0.95);
    // Commands that take time delay single requests, but not the following ones.
    const double delayed = std::chrono::duration<double>(cost).count() * 20;
    std::ranges::sort(receiver.starts);
    for (std::size_t first = 0; first < count; ++first) {
        for (std::size_t last = first; last < count; ++last) {
            const auto span = receiver.starts[last] - receiver.starts[first];
            const double seconds = std::chrono::duration<double>(span).count() + delayed;
            ASSERT_LE(static_cast<double>(last - first + 1),
                      rate.burst + rate.per_second * seconds + 1e-6)
                << "requests in " << seconds << " s";
        }
    }
    expect_no_attempt_but_the_first();
}

INSTANTIATE_TEST_SUITE_P(Rates, RateUsageTest,
                         testing::Values(Paced{"one_at_a_time", {20, 1}},
                                         Paced{"small_bursts", {20, 5}},
                                         Paced{"large_bursts", {50, 100}}, Paced{"slow", {1, 1}},
                                         Paced{"two_instances", {20, 1}, 2},
                                         Paced{"slow_commands", {20, 1}, 1, 1ms},
                                         Paced{"slow_commands_of_three", {40, 2}, 3, 1ms}),
                         [](const auto& one) { return one.param.name; });

TEST_F(LimitUsageTest, FillsEverySlotAtOnceAndNeverMore) {
    receiver.takes = 200ms;
    given_events({an_endpoint().with_max_in_flight(2)}, 100);
    deliver_all(1, 1ms);
    EXPECT_LE(took, std::chrono::microseconds{9'800ms} * 100 / 95);
    EXPECT_EQ(receiver.max, 2U);
    expect_no_attempt_but_the_first();
}

TEST_F(LimitUsageTest, SharesTheSlotsAmongInstances) {
    receiver.takes = 200ms;
    given_events({an_endpoint().with_max_in_flight(4)}, 200);
    deliver_all(2, 0us);
    EXPECT_LE(took, std::chrono::microseconds{9'800ms} * 100 / 95);
    EXPECT_EQ(receiver.max, 4U);
    expect_no_attempt_but_the_first();
}

TEST_F(LimitUsageTest, UsesTheRateAfterAStepBackOfTheDatabasesClock) {
    given_events({an_endpoint().limited_to({20, 5})}, 105);
    pass(2h);
    step_back = 1h;
    const Mono began = monotonic.time;
    deliver_all(1, 0us);
    EXPECT_LE(monotonic.time - began, 10s);
    expect_no_attempt_but_the_first();
}

/// The bulkhead: two slow endpoints share an instance, and neither may take all of its slots.
TEST_F(LimitUsageTest, UsesNoAttemptOfAnEventThatWaitsForItsPartOfTheInstance) {
    receiver.takes = 500ms;
    given_events({an_endpoint(), an_endpoint()}, 300);
    deliver_all(1, 0us);
    EXPECT_LE(receiver.max, worker_settings(an_id<InstanceId>()).slots / 2);
    expect_no_attempt_but_the_first();
}

}  // namespace
}  // namespace sundial
