#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <latch>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sundial/engine.hpp"
#include "sundial/streams.hpp"
#include "support/transactions_on_each.hpp"

/// Tests followers of the feed, projections and the list of streams as an embedding program uses
/// them.
namespace {

using namespace std::chrono_literals;
using sundial::code_of;
using sundial::detail_of;
using sundial::Done;
using sundial::Error;
using sundial::Event;
using sundial::Expected;
using sundial::Handled;
using sundial::order_17;
using sundial::RecordedEvent;
using sundial::Result;
using sundial::Transaction;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class SubscriptionsOnEach : public sundial::TransactionsOnEach {};

/// The program's table has each recorded event once, although the projection was interrupted.
TEST_P(SubscriptionsOnEach, ProjectsIntoTheProgramsTableTogetherWithTheCheckpoint) {
    auto streams = engine().streams();
    for (int i = 1; i <= 20; ++i) {
        ASSERT_TRUE(streams.append({"Order", std::to_string(i % 3)}, Expected::any(),
                                   {{.type = "Placed", .data = std::to_string(i)}}));
    }
    int failures = 0;
    const auto project = [&](Transaction& tx, const RecordedEvent& event) -> Result<Done> {
        const auto added = tx.sql("INSERT INTO shop_orders (id, item) VALUES ($1, $2)",
                                  static_cast<std::int64_t>(event.position), event.data);
        if (!added) return added.error();
        const auto reminder = tx.schedule({.type = "REMINDER", .at = *tx.now() + 1h});
        if (!reminder) return reminder.error();
        if (event.data == "7" && failures++ < 2) return Error{"NOT_NOW", "not now"};
        return Done{};
    };
    auto orders = streams.project({.name = "orders",
                                   .filter = {.stream_types = {"Order"}},
                                   .page = 6,
                                   .retry = {.max_attempts = 5, .base = 1us, .cap = 1us}},
                                  project);
    const auto caught_up = orders.catch_up();
    ASSERT_TRUE(caught_up) << detail_of(caught_up);
    EXPECT_EQ(failures, 3);
    std::vector<std::string> expected;
    for (int i = 1; i <= 20; ++i) expected.push_back(std::to_string(i));
    EXPECT_EQ(items(), expected);
    const auto again = streams.project({.name = "orders"}, project).catch_up();
    EXPECT_TRUE(again) << detail_of(again);
    EXPECT_EQ(items(), expected);
    std::atomic<int> reminders = 0;
    engine().on("REMINDER", [&](const Event&) {
        ++reminders;
        return Handled::done();
    });
    ASSERT_TRUE(engine().advance(2h));
    EXPECT_EQ(reminders, 20);
}

TEST_P(SubscriptionsOnEach, RebuildsAProjectionFromTheBeginning) {
    auto streams = engine().streams();
    for (int i = 1; i <= 5; ++i) {
        ASSERT_TRUE(streams.append({"Order", "1"}, Expected::any(),
                                   {{.type = "Placed", .data = std::to_string(i)}}));
    }
    std::string prefix = "old-";
    auto orders =
        streams.project({.name = "orders", .filter = {.stream_types = {"Order"}}},
                        [&](Transaction& tx, const RecordedEvent& event) -> Result<Done> {
                            const auto added = tx.sql(
                                "INSERT INTO shop_orders (id, item) VALUES ($1, $2)",
                                static_cast<std::int64_t>(event.version), prefix + event.data);
                            if (!added) return added.error();
                            return Done{};
                        });
    EXPECT_GT(*streams.lag("orders"), 0U);
    ASSERT_TRUE(orders.catch_up());
    EXPECT_EQ(*streams.lag("orders"), 0U);
    prefix = "new-";
    const auto clear = [](Transaction& tx) -> Result<Done> {
        const auto deleted = tx.sql("DELETE FROM shop_orders");
        if (!deleted) return deleted.error();
        EXPECT_EQ(deleted->changed, 5U);
        return Done{};
    };
    const auto failed = streams.rebuild("orders", [&](Transaction& tx) -> Result<Done> {
        EXPECT_TRUE(clear(tx));
        return Error{"NOT_NOW", "not now"};
    });
    EXPECT_EQ(code_of(failed), "NOT_NOW");
    EXPECT_EQ(*streams.lag("orders"), 0U);
    const auto done = streams.rebuild("orders", clear);
    ASSERT_TRUE(done) << detail_of(done);
    EXPECT_GT(*streams.lag("orders"), 0U);
    ASSERT_TRUE(orders.catch_up());
    EXPECT_THAT(items(), ElementsAre("new-1", "new-2", "new-3", "new-4", "new-5"));
    EXPECT_EQ(code_of(streams.rebuild("two words", clear)), "VALIDATION_FAILED");
}

TEST_P(SubscriptionsOnEach, ListsStreamsPageByPage) {
    auto streams = engine().streams();
    for (const char* id : {"3", "1", "2"}) {
        ASSERT_TRUE(streams.append({"Order", id}, Expected::any(), {{.type = "Placed"}}));
    }
    ASSERT_TRUE(streams.append({"Stock", "tea"}, Expected::any(), {{.type = "A"}, {.type = "B"}}));
    ASSERT_TRUE(streams.archive({"Order", "2"}));
    const auto first = streams.list("Order", std::nullopt, 2);
    ASSERT_TRUE(first) << detail_of(first);
    ASSERT_THAT(first->streams, SizeIs(2));
    EXPECT_EQ(first->streams[0].stream.id, "1");
    EXPECT_TRUE(first->streams[1].archived);
    ASSERT_TRUE(first->next);
    const auto rest = streams.list("Order", first->next, 2);
    ASSERT_THAT(rest->streams, SizeIs(1));
    EXPECT_EQ(rest->streams[0].stream.id, "3");
    EXPECT_EQ(rest->next, std::nullopt);
    EXPECT_EQ(streams.list("Stock")->streams.at(0).version, 2U);
    EXPECT_EQ(code_of(streams.list("Order", std::nullopt, 0)), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(streams.list("Order", std::nullopt, 501)), "VALIDATION_FAILED");
}

TEST_P(SubscriptionsOnEach, StopsASubscriptionAndStartsItAgain) {
    auto streams = engine().streams();
    std::mutex mutex;
    std::condition_variable changed;
    int seen = 0;
    auto orders = streams.follow({.name = "orders", .filter = {.stream_types = {"Order"}}},
                                 [&](const RecordedEvent&) -> Result<Done> {
                                     const std::lock_guard lock(mutex);
                                     ++seen;
                                     changed.notify_all();
                                     return Done{};
                                 });
    const auto wait_for = [&](int count) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return seen == count; });
    };
    const auto append = [&] {
        ASSERT_TRUE(streams.append(order_17, Expected::any(), {{.type = "Placed"}}));
    };
    orders.start();
    append();
    wait_for(1);
    orders.stop();
    append();
    EXPECT_EQ(seen, 1);
    orders.start();
    wait_for(2);
    orders.stop();
    orders.stop();
}

TEST_P(SubscriptionsOnEach, StartsASubscriptionAgainInItsHandler) {
    auto streams = engine().streams();
    ASSERT_TRUE(streams.append(order_17, Expected::any(), {{.type = "Placed"}, {.type = "Paid"}}));
    for (const std::size_t lanes : {1U, 3U}) {
        const std::string name = "orders-" + std::to_string(lanes);
        std::mutex mutex;
        std::condition_variable changed;
        std::vector<std::uint64_t> seen;
        std::optional<sundial::Subscription> orders;
        const auto handle = [&](const RecordedEvent& event) -> Result<Done> {
            orders->stop();
            if (event.version != 2) orders->start();
            const std::lock_guard lock(mutex);
            seen.push_back(event.version);
            changed.notify_all();
            return Done{};
        };
        orders.emplace(streams.follow(
            {.name = name, .filter = {.stream_types = {"Order"}}, .lanes = lanes}, handle));
        orders->start();
        {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return seen.size() == 2; });
        }
        orders->stop();  // the handler of the second event has requested it
        EXPECT_THAT(seen, ElementsAre(1U, 2U));
        EXPECT_EQ(streams.lag(name).value(), 0U);
    }
}

TEST_P(SubscriptionsOnEach, StartsASubscriptionThatItsHandlerStopped) {
    auto streams = engine().streams();
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t seen = 0;
    std::optional<sundial::Subscription> orders;
    orders.emplace(streams.follow({.name = "orders", .filter = {.stream_types = {"Order"}}},
                                  [&](const RecordedEvent&) -> Result<Done> {
                                      orders->stop();
                                      const std::lock_guard lock(mutex);
                                      ++seen;
                                      changed.notify_all();
                                      return Done{};
                                  }));
    for (const std::size_t count : {1U, 2U}) {
        ASSERT_TRUE(streams.append(order_17, Expected::any(), {{.type = "Placed"}}));
        orders->start();
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return seen == count; });
    }
    orders->stop();
    EXPECT_EQ(seen, 2U);
}

TEST_P(SubscriptionsOnEach, StartsASubscriptionInTheHandlerOfACatchUp) {
    auto streams = engine().streams();
    ASSERT_TRUE(streams.append(order_17, Expected::any(), {{.type = "Placed"}}));
    std::latch both{2};
    std::optional<sundial::Subscription> orders;
    orders.emplace(streams.follow({.name = "orders", .filter = {.stream_types = {"Order"}}},
                                  [&](const RecordedEvent& event) -> Result<Done> {
                                      if (event.version == 1) orders->start();
                                      both.count_down();
                                      return Done{};
                                  }));
    const auto done = orders->catch_up();
    EXPECT_TRUE(done) << detail_of(done);
    ASSERT_TRUE(streams.append(order_17, Expected::any(), {{.type = "Paid"}}));
    both.wait();
    orders->stop();
    EXPECT_EQ(streams.lag("orders").value(), 0U);
}

/// The follower belongs to one thread at a time.
TEST_P(SubscriptionsOnEach, RefusesToCatchUpWhileItsThreadHandlesEvents) {
    auto streams = engine().streams();
    ASSERT_TRUE(streams.append(order_17, Expected::any(), {{.type = "Placed"}}));
    std::latch handling{1}, go_on{1};
    auto orders = streams.follow({.name = "orders", .filter = {.stream_types = {"Order"}}},
                                 [&](const RecordedEvent&) -> Result<Done> {
                                     handling.count_down();
                                     go_on.wait();
                                     return Done{};
                                 });
    orders.start();
    handling.wait();
    const auto beside = orders.catch_up();
    EXPECT_EQ(code_of(beside), "LOCK_HELD");
    EXPECT_THAT(detail_of(beside), HasSubstr("on another thread"));
    go_on.count_down();
    orders.stop();
    const auto after = orders.catch_up();
    EXPECT_TRUE(after) << detail_of(after);
    EXPECT_EQ(streams.lag("orders").value(), 0U);
}

TEST_P(SubscriptionsOnEach, RefusesToCatchUpOnTwoThreads) {
    auto streams = engine().streams();
    ASSERT_TRUE(streams.append(order_17, Expected::any(), {{.type = "Placed"}}));
    std::latch handling{1}, go_on{1};
    auto orders = streams.follow({.name = "orders", .filter = {.stream_types = {"Order"}}},
                                 [&](const RecordedEvent&) -> Result<Done> {
                                     handling.count_down();
                                     go_on.wait();
                                     return Done{};
                                 });
    std::string first;
    std::jthread other{[&] { first = code_of(orders.catch_up()); }};
    handling.wait();
    EXPECT_EQ(code_of(orders.catch_up()), "LOCK_HELD");
    go_on.count_down();
    other.join();
    EXPECT_EQ(first, "");
    EXPECT_TRUE(orders.catch_up());
}

INSTANTIATE_TEST_SUITE_P(Embedded, SubscriptionsOnEach, testing::Values("sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
