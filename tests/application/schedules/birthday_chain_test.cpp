#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "support/engine.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using Fault = FaultyQueue::Fault;

/// A person's birthdays over some years, while the process dies repeatedly and the database loses
/// requests and replies. Single-threaded; each seed is another sequence of events, the same in
/// every run.
class BirthdayChain : public Engine, public testing::WithParamInterface<unsigned> {
protected:
    static constexpr int birthdays = 6;

    /// Moves to the next change, which may also be the expiry of a dead holder's lease.
    void pass_until_next() {
        const Instant next = std::ranges::min(queue.peek(all_lanes).next);
        if (next != never && next > clock.now()) pass(next - clock.now());
    }
    void maybe_lose_something() {
        const auto fault = [&] {
            const unsigned dice = dice_() % 12;
            return dice == 0 ? Fault::lost_request : dice == 1 ? Fault::lost_reply : Fault::none;
        };
        faulty.peek_fault = fault();
        faulty.claim_fault = fault();
        faulty.settle_fault = fault();
        faulty.release_fault = fault();
        faulty.extend_fault = fault();
    }

    std::minstd_rand dice_{GetParam()};
};

TEST_P(BirthdayChain, LosesNoneAndSettlesEachOnce) {
    // Enough attempts for all losses.
    birthdays_go_to(an_endpoint().with_retry_policy(
        {.kind = RetryPolicy::Kind::custom, .custom = std::vector<seconds>(50, 1s)}));
    const User user = created(born("1992-02-29", "America/New_York"));
    std::map<std::string, int> sent;       // by key
    std::map<std::string, int> last_sent;  // attempt number
    webhook.answer = [&](const DeliveryRequest& request) {
        const std::string& key = request.event->key.value;
        ++sent[key];
        const int number = static_cast<int>(request.event->attempt.value);
        EXPECT_LT(last_sent[key], number) << "a number is sent once";
        last_sent[key] = number;
        EXPECT_GE(clock.now(), request.event->due) << "never early";
        // The successor is stored before the first byte is sent.
        EXPECT_TRUE(std::ranges::any_of(events_of(user), [&](const Event& event) {
            return event.occurrence->nominal.date.year() ==
                   request.event->occurrence->nominal.date.year() + std::chrono::years{1};
        }));
        return dice_() % 5 == 0 ? status_outcome(503) : accepted_outcome();
    };

    const Instant end = noon + days{birthdays * 365 + 2};
    int crashes = 0;
    while (clock.now() < end) {
        maybe_lose_something();
        turn(static_cast<int>(dice_() % 12));
        if (dice_() % 3 == 0) {
            crash();
            ++crashes;
        }
        pass_until_next();
    }
    faulty.claim_fault = faulty.peek_fault = faulty.settle_fault = Fault::none;
    for (int i = 0; i < 20; ++i) advance(1min);

    std::map<int, int> completed_in;
    int pending_ones = 0;
    std::size_t completed = 0;
    for (const Event& event : events_of(user)) {
        const int of_year = static_cast<int>(event.occurrence->nominal.date.year());
        if (status_of(event) == EventStatus::completed) {
            ++completed_in[of_year];
            ++completed;
            EXPECT_GE(sent[event.key.value], 1);
            // A second request is sent only for an attempt that failed or was lost.
            EXPECT_LE(sent[event.key.value], static_cast<int>(event.retry_count) + 1);
        } else {
            EXPECT_EQ(status_of(event), EventStatus::pending) << of_year;
            EXPECT_GT(event.due, clock.now());
            ++pending_ones;
        }
    }
    for (int y = 2027; y < 2027 + birthdays; ++y) EXPECT_EQ(completed_in[y], 1) << y;
    EXPECT_EQ(pending_ones, 1);
    // None is reported twice; a report can be lost with its process.
    EXPECT_LE((observer.transitions[{"BIRTHDAY", EventStatus::completed}]), completed);
    EXPECT_GT(crashes, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, BirthdayChain, testing::Range(1U, 101U));

TEST_F(Engine, SendsEachBirthdayOnceWhenNothingFails) {
    birthdays_go_to(an_endpoint());
    created(born("1992-02-29", "America/New_York"));
    for (int i = 0; i < 5; ++i) advance(days{366});
    EXPECT_EQ(webhook.requests.size(), 5U);
}

}  // namespace
}  // namespace sundial
