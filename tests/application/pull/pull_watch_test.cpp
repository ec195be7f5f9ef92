#include "application/pull/pull_watch.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <thread>

#include "support/pull_workers.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Which worker to wake, and when to look.

class PullWaitsTest : public testing::Test {
protected:
    PullWaits::Number add(EndpointId endpoint, const std::string& name) {
        return waits.add(endpoint, [this, name] { woken.push_back(name); }, now);
    }
    PullHead head(Instant next, std::uint32_t shard = 0) {
        return {printers, shard, Priority::normal, next};
    }
    /// Passes the result of a look.
    void peek(std::vector<PullHead> heads) {
        for (const auto& wake : waits.note_peek({noon, std::move(heads)}, now)) wake();
    }

    const EndpointId printers = an_id<EndpointId>();
    const EndpointId mailers = an_id<EndpointId>();
    Mono now{1000s};
    std::vector<std::string> woken;
    PullWaits waits{1s, false};
};

TEST_F(PullWaitsTest, PeeksOnlyWhileARequestWaits) {
    EXPECT_EQ(waits.peek_at(), std::nullopt);
    const auto number = add(printers, "w-1");
    EXPECT_EQ(waits.peek_at(), now);
    EXPECT_THAT(waits.endpoints(now), ElementsAre(printers));
    waits.remove(number);
    EXPECT_EQ(waits.peek_at(), std::nullopt);
    EXPECT_THAT(waits.endpoints(now), IsEmpty());
}

TEST_F(PullWaitsTest, PeeksOnceForAllRequestsAtAnEndpoint) {
    add(printers, "w-1");
    add(printers, "w-2");
    add(mailers, "w-3");
    EXPECT_THAT(waits.endpoints(now), SizeIs(2));
}

TEST_F(PullWaitsTest, LeavesAnEndpointAloneWhileItsLimitsAllowNoClaim) {
    peek({});
    now += 100ms;
    waits.add(printers, [this] { woken.emplace_back("w-1"); }, now, 300ms);
    EXPECT_THAT(waits.endpoints(now), IsEmpty());
    EXPECT_EQ(waits.peek_at(), now + 300ms);
    add(mailers, "w-2");
    peek({});
    EXPECT_EQ(waits.peek_at(), now + 300ms);
    // An event of some endpoint has ended.
    waits.hint(noon, now);
    EXPECT_THAT(waits.endpoints(now), SizeIs(2));
    peek({head(noon)});
    EXPECT_THAT(woken, ElementsAre("w-1"));
}

TEST_F(PullWaitsTest, PeeksEveryTick) {
    add(printers, "w-1");
    peek({});
    EXPECT_EQ(waits.peek_at(), now + 1s);
    EXPECT_THAT(woken, IsEmpty());
}

TEST_F(PullWaitsTest, PeeksWhenTheNextEventIsClaimable) {
    add(printers, "w-1");
    peek({head(noon + 200ms), head(noon + 700ms, 1)});
    EXPECT_EQ(waits.peek_at(), now + 200ms);
}

TEST_F(PullWaitsTest, WakesTheLongestWaitingRequestPerShardWithEvents) {
    add(printers, "w-1");
    add(mailers, "m-1");
    add(printers, "w-2");
    add(printers, "w-3");
    peek({head(noon), head(noon - 1s, 1)});
    EXPECT_THAT(woken, ElementsAre("w-1", "w-2"));
    // The remaining events are for the third worker, once the first two had time to claim.
    EXPECT_EQ(waits.peek_at(), now + 5ms);
    now += 5ms;
    peek({head(noon)});
    EXPECT_THAT(woken, ElementsAre("w-1", "w-2", "w-3"));
    EXPECT_EQ(waits.peek_at(), now + 1s);  // for m-1
}

TEST_F(PullWaitsTest, PeeksOnceForManyHints) {
    add(printers, "w-1");
    peek({});
    waits.hint(noon, now);
    EXPECT_EQ(waits.peek_at(), now + 5ms);
    now += 2ms;
    waits.hint(noon, now);
    EXPECT_EQ(waits.peek_at(), now + 3ms);
    now += 100ms;
    peek({});
    now += 100ms;
    waits.hint(noon, now);
    EXPECT_EQ(waits.peek_at(), now);
}

TEST_F(PullWaitsTest, PeeksWhenAHintedEventIsDue) {
    add(printers, "w-1");
    peek({});
    waits.hint(noon + 300ms, now);
    EXPECT_EQ(waits.peek_at(), now + 300ms);
    waits.hint(never, now);
    EXPECT_EQ(waits.peek_at(), now + 300ms);
}

TEST_F(PullWaitsTest, UsesTicksAndHintsIfTheClockStandsStill) {
    waits = PullWaits{1s, true};
    add(printers, "w-1");
    peek({head(noon + 200ms)});
    EXPECT_EQ(waits.peek_at(), now + 1s);
    waits.hint(noon + 24h, now);  // the clock may have been moved
    EXPECT_EQ(waits.peek_at(), now + 5ms);
}

TEST_F(PullWaitsTest, PeeksAgainAfterAFailedPeek) {
    add(printers, "w-1");
    waits.peek_failed(now);
    EXPECT_EQ(waits.peek_at(), now + 1s);
}

TEST_F(PullWaitsTest, WakesAllWaitersAtTheEnd) {
    add(printers, "w-1");
    add(mailers, "m-1");
    for (const auto& wake : waits.end()) wake();
    EXPECT_THAT(woken, ElementsAre("w-1", "m-1"));
    EXPECT_EQ(waits.peek_at(), std::nullopt);
}

// The loop.

class PullWatchTest : public PullWorkers {
protected:
    std::shared_ptr<PullWatch::Wait> wait() {
        return watch.wait(endpoint.id, [this] { ++woken; });
    }
    PullWatch watch{pull_queue, monotonic, log, 1s, false};
    std::atomic<int> woken = 0;
};

TEST_F(PullWatchTest, WakesAWorkerOnceAnEventIsDue) {
    const auto waiting = wait();
    EXPECT_EQ(watch.turn(), monotonic.time + 1s);
    EXPECT_EQ(woken, 0);
    a_due_event();
    monotonic.time += 1s;
    EXPECT_EQ(watch.turn(), std::nullopt);
    EXPECT_EQ(woken, 1);
}

TEST_F(PullWatchTest, SeesEventsThatArriveBeforeTheWaitBegins) {
    EXPECT_THAT(pulled(), IsEmpty());
    a_due_event();
    const auto waiting = wait();
    watch.turn();
    EXPECT_EQ(woken, 1);
}

TEST_F(PullWatchTest, ForgetsACancelledWait) {
    a_due_event();
    {
        const auto waiting = wait();
    }
    EXPECT_EQ(watch.turn(), std::nullopt);
    EXPECT_EQ(woken, 0);
}

TEST_F(PullWatchTest, WakesAllRequestsAtItsEndAndLaterOnesAtOnce) {
    const auto waiting = wait();
    EXPECT_FALSE(watch.stopped());
    watch.stop();
    EXPECT_TRUE(watch.stopped());
    EXPECT_EQ(woken, 1);
    const auto late = wait();
    EXPECT_EQ(woken, 2);
    watch.run();  // returns
}

TEST_F(PullWatchTest, CanBeDestroyedBeforeAWait) {
    std::shared_ptr<PullWatch::Wait> waiting;
    {
        PullWatch brief{pull_queue, monotonic, log, 1s, false};
        waiting = brief.wait(endpoint.id, [] {});
    }
    waiting.reset();
}

/// A database that is unavailable.
class NoPullQueue final : public PullQueue {
public:
    PullPeek peek(std::span<const EndpointId>) override { throw Unavailable{"no route"}; }
    Claimed claim(const PullRequest&) override { throw Unavailable{"no route"}; }
    std::uint32_t held(EndpointId) override { throw Unavailable{"no route"}; }
};

TEST_F(PullWatchTest, PeeksAgainAfterADatabaseOutage) {
    NoPullQueue nothing;
    PullWatch blind{nothing, monotonic, log, 1s, false};
    const auto waiting = blind.wait(endpoint.id, [] {});
    EXPECT_EQ(blind.turn(), monotonic.time + 1s);
    ASSERT_THAT(log.lines(), SizeIs(1));
    EXPECT_THAT(log.lines()[0].message, testing::HasSubstr("no route"));
}

/// Moves a millisecond with every reading.
class TickingMonotonic final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override { return Mono{time_ += 1000}; }

private:
    mutable std::atomic<Mono::rep> time_{0};
};

TEST_F(PullWatchTest, RunsUntilItIsStopped) {
    TickingMonotonic ticking;
    PullWatch running{pull_queue, ticking, log, 1s, false};
    std::thread loop([&] { running.run(); });
    std::promise<void> first, second;
    const auto one = running.wait(endpoint.id, [&] { first.set_value(); });
    a_due_event();
    running.due_at(noon);
    first.get_future().wait();
    pulled();
    const auto other = running.wait(endpoint.id, [&] { second.set_value(); });
    running.stop();
    second.get_future().wait();
    loop.join();
}

}  // namespace
}  // namespace sundial
