#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <utility>

#include "sundial/streams.hpp"
#include "support/engine_on_each.hpp"

/// Tests followers and projections as an embedding program uses them: through the public headers
/// alone.
namespace {

using namespace std::chrono_literals;
using sundial::Done;
using sundial::Error;
using sundial::Expected;
using sundial::RecordedEvent;
using sundial::Result;
using sundial::Transaction;
using testing::HasSubstr;
using testing::SizeIs;

class FollowersOnEach : public sundial::EngineOnEach {
protected:
    sundial::Streams& streams() { return streams_; }
    /// Appends an event to a stream of type Account.
    void deposit(int amount) {
        const auto done = streams_.append({"Account", "a"}, Expected::any(),
                                          {{.type = "Deposited", .data = std::to_string(amount)}});
        ASSERT_TRUE(done) << done.error().detail;
    }

private:
    sundial::Engine engine_ = opened({});
    sundial::Streams streams_ = engine_.streams();
};

INSTANTIATE_TEST_SUITE_P(Embedded, FollowersOnEach, testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& kind) { return kind.param; });

TEST_P(FollowersOnEach, ProjectEachEventOnce) {
    for (int i = 0; i < 5; ++i) deposit(1);
    const auto project = [&] {
        return streams().project(
            {.name = "totals", .filter = {.stream_types = {"Account"}}, .page = 2},
            [](Transaction& tx, const RecordedEvent& event) -> Result<Done> {
                const auto kept = tx.append({"Totals", "all"}, Expected::any(),
                                            {{.type = "Seen", .data = event.data}});
                if (!kept) return kept.error();
                return Done{};
            });
    };
    ASSERT_TRUE(project().catch_up());
    deposit(1);
    ASSERT_TRUE(project().catch_up());  // another subscription, which need not wait for a lease
    EXPECT_EQ(streams().read({"Totals", "all"})->version, 6U);
    EXPECT_GT(streams().checkpoint("totals")->position, 0U);
}

TEST_P(FollowersOnEach, RunOneAtATime) {
    deposit(1);
    std::string code;
    const auto nothing = [](const RecordedEvent&) -> Result<Done> { return Done{}; };
    auto first = streams().follow({.name = "mails"}, [&](const RecordedEvent&) -> Result<Done> {
        code = streams().follow({.name = "mails"}, nothing).catch_up().error().code;
        return Done{};
    });
    ASSERT_TRUE(first.catch_up());
    EXPECT_EQ(code, "LOCK_HELD");
}

TEST_P(FollowersOnEach, ReceiveNewEvents) {
    std::promise<std::string> reported;
    auto follower =
        streams().follow({.name = "mails"}, [&](const RecordedEvent& event) -> Result<Done> {
            if (event.type == "Deposited") reported.set_value(event.data);
            return Done{};
        });
    follower.start();
    deposit(42);
    EXPECT_EQ(reported.get_future().get(), "42");
    EXPECT_FALSE(follower.stopped());
}

TEST_P(FollowersOnEach, StopAtAFailedEventOrParkIt) {
    deposit(1);
    deposit(2);
    const auto follow = [&](std::string name, bool park) {
        sundial::Following following{.name = std::move(name),
                                     .filter = {.stream_types = {"Account"}}};
        following.retry = {.max_attempts = 2, .base = 1ms};
        following.park = park;
        return streams().follow(following, [](const RecordedEvent& event) -> Result<Done> {
            if (event.data == "1") return Error{"NO", "not this one"};
            return Done{};
        });
    };
    auto stopping = follow("strict", false);
    EXPECT_EQ(stopping.catch_up().error().code, "STOPPED");
    EXPECT_THAT(stopping.stopped().value_or(""), HasSubstr("not this one"));
    EXPECT_TRUE(follow("lenient", true).catch_up());
    const auto parked = streams().parked("lenient");
    ASSERT_TRUE(parked);
    ASSERT_THAT(*parked, SizeIs(1));
    EXPECT_EQ((*parked)[0].reason, "NO: not this one");
    EXPECT_EQ((*parked)[0].attempts, 2U);
    EXPECT_TRUE(*streams().unpark("lenient", (*parked)[0].position));
    EXPECT_FALSE(*streams().unpark("lenient", (*parked)[0].position));
}

}  // namespace
