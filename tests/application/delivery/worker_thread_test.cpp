#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "application/delivery/tick.hpp"
#include "application/delivery/worker_loop.hpp"
#include "support/engine.hpp"

/// A loop on a thread of its own; worker_loop_test.cpp drives it by hand.
namespace sundial {
namespace {

using Fault = FaultyQueue::Fault;

/// Real time, for a loop on a thread of its own.
class SteadyClock final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override {
        return std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now().time_since_epoch());
    }
};

class RunningLoopTest : public Engine {
protected:
    RunningLoopTest() {
        WorkerSettings settings_of_thread = worker_settings();
        settings_of_thread.tick = 1h;  // only hints wake the loop
        loop = std::make_unique<WorkerLoop>(
            settings_of_thread, WorkerPorts{faulty, plan, deliver, admit, judge, steady, random,
                                            log, observer, permit});
        webhook.answer = [this](const DeliveryRequest& request) {
            delivered.set_value(request.event->id);
            return accepted_outcome();
        };
    }
    ~RunningLoopTest() override { end(); }
    /// Returns when all claims are settled.
    void end() {
        loop->stop();
        if (thread.joinable()) thread.join();
    }

    SteadyClock steady;
    std::promise<EventId> delivered;
    std::thread thread;
};

TEST_F(RunningLoopTest, DeliversAnEventAfterItsHint) {
    thread = std::thread{[this] { loop->run(); }};
    const Event event = a_due_event(an_existing_endpoint());
    loop->due_at(event.due);
    EXPECT_EQ(delivered.get_future().get(), event.id);
}

TEST_F(RunningLoopTest, RepeatsASettlementThatFailedInTheBackground) {
    faulty.settle_fault = Fault::lost_request;
    thread = std::thread{[this] { loop->run(); }};
    const Event event = a_due_event(an_existing_endpoint());
    loop->due_at(event.due);
    delivered.get_future().wait();
    end();
    EXPECT_EQ(faulty.settle_fault, Fault::none);  // the fault happened
    EXPECT_EQ(status_of(find(event)), EventStatus::completed);
}

TEST_F(RunningLoopTest, ContinuesWhileAClaimAndASettlementAreUnderWay) {
    std::promise<void> claiming, settled;
    faulty.before_claim = [&, number = 0]() mutable {
        if (++number != 2) return;
        claiming.set_value();
        settled.get_future().wait();
    };
    faulty.before_settle = [&, first = true]() mutable {
        if (std::exchange(first, false)) claiming.get_future().wait();
    };
    faulty.after_settle = [&, first = true]() mutable {
        if (std::exchange(first, false)) settled.set_value();
    };
    std::promise<void> both_sent;
    webhook.answer = [&, number = 0](const DeliveryRequest& request) mutable {
        if (++number == 1) delivered.set_value(request.event->id);
        if (number == 2) both_sent.set_value();
        return accepted_outcome();
    };
    thread = std::thread{[this] { loop->run(); }};
    const Endpoint endpoint = an_existing_endpoint();
    const Event first = a_due_event(endpoint);
    loop->due_at(first.due);
    delivered.get_future().wait();
    const Event second = a_due_event(endpoint);
    loop->due_at(second.due);
    both_sent.get_future().wait();
    end();
    EXPECT_EQ(status_of(find(first)), EventStatus::completed);
    EXPECT_EQ(status_of(find(second)), EventStatus::completed);
}

TEST_F(RunningLoopTest, RepeatsAClaimThatFailedInTheBackground) {
    faulty.claim_fault = Fault::lost_request;
    thread = std::thread{[this] { loop->run(); }};
    const Event event = a_due_event(an_existing_endpoint());
    loop->due_at(event.due);
    EXPECT_EQ(delivered.get_future().get(), event.id);
    end();
    EXPECT_EQ(faulty.claim_fault, Fault::none);  // the fault happened
}

TEST_F(RunningLoopTest, LetsAnotherThreadDriveIt) {
    thread = std::thread{[this] { loop->run(); }};
    const Event event = a_due_event(an_existing_endpoint());
    EXPECT_EQ(Tick{*loop}.run(1), (TickCounters{.claimed = 1, .completed = 1}));
    EXPECT_EQ(delivered.get_future().get(), event.id);
}

}  // namespace
}  // namespace sundial
