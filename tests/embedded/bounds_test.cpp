#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "sundial/engine.hpp"
#include "sundial/locks.hpp"

/// Issue 19, item 25: bounds of events, users, locks, queues, workers and endpoints.
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using sundial::Event;
using sundial::expect_answers;
using sundial::Extent;
using sundial::refused;
using sundial::sized;
using sundial::word;

class Bounds : public sundial::BoundsOnEach {};
INSTANTIATE_TEST_SUITE_P(Embedded, Bounds, testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& kind) { return kind.param; });

TEST_P(Bounds, OfWork) {
    // With an event that is there, so that nothing has to be waited for.
    const auto claim = [&](auto change) {
        const std::string queue = fresh_name();
        EXPECT_TRUE(engine_->create_queue(queue));
        EXPECT_TRUE(engine_->schedule({.type = "T", .at = *engine_->now(), .queue = queue}));
        sundial::WorkOrder order;
        change(order);
        const auto work = engine_->worker(queue, "w").claim(order);
        return work ? std::to_string(work->size()) : work.error().code;
    };
    // For a claim without a holder.
    const auto claimed = [&](Extent which) {
        Event event = fresh_claim();
        event.version = sized<std::uint64_t>(which);
        return event;
    };
    const auto named = [&](Extent which, auto change) {
        const auto text = sized<std::string>(which);
        return change(text);
    };
    expect_answers({
        {"WorkOrder.limit",
         [&](Extent t) { return claim([&](auto& order) { order.limit = sized<std::size_t>(t); }); },
         {refused, "1", refused}},
        {"WorkOrder.lease",
         [&](Extent t) {
             return claim([&](auto& order) { order.lease = sized<microseconds>(t); });
         },
         {refused, refused, refused}},
        {"WorkOrder.wait",
         [&](Extent t) { return claim([&](auto& order) { order.wait = sized<microseconds>(t); }); },
         {"1", "1", "1"}},
        {"extend lease",
         [&](Extent t) { return word(any_worker().extend(fresh_claim(), sized<microseconds>(t))); },
         {refused, refused, refused}},
        {"complete Event.version",
         [&](Extent t) { return word(any_worker().complete(claimed(t))); },
         {"LEASE_LOST", "LEASE_LOST", "LEASE_LOST"}},
        {"fail Event.version",
         [&](Extent t) { return word(any_worker().fail(claimed(t), "no")); },
         {"LEASE_LOST", "LEASE_LOST", "LEASE_LOST"}},
        {"refuse Event.version",
         [&](Extent t) { return word(any_worker().refuse(claimed(t), "no")); },
         {"LEASE_LOST", "LEASE_LOST", "LEASE_LOST"}},
        {"release Event.version",
         [&](Extent t) { return word(any_worker().release(claimed(t))); },
         {"LEASE_LOST", "LEASE_LOST", "LEASE_LOST"}},
        {"extend Event.version",
         [&](Extent t) { return word(any_worker().extend(claimed(t), 30s)); },
         {"LEASE_LOST", "LEASE_LOST", "LEASE_LOST"}},
        {"why of fail",
         [&](Extent t) { return word(any_worker().fail(fresh_claim(), sized<std::string>(t))); },
         {"ok", "ok", "ok"}},
        {"name of a worker",
         [&](Extent t) {
             EXPECT_TRUE(engine_->create_queue("named"));
             return named(
                 t, [&](const auto& name) { return word(engine_->worker("named", name).claim()); });
         },
         {refused, "ok", refused}},
        {"name of a queue",
         [&](Extent t) {
             return named(t, [&](const auto& name) { return word(engine_->create_queue(name)); });
         },
         {refused, "ok", refused}},
    });
    EXPECT_EQ(claim([](auto& order) { order.wait = -1us; }), refused);
    EXPECT_EQ(claim([](auto& order) { order.wait = microseconds::min(); }), refused);
    EXPECT_EQ(claim([](auto& order) { order.lease = microseconds::min(); }), refused);
}

TEST_P(Bounds, OfEventsAndUsers) {
    const auto schedule = [&](auto change) {
        sundial::NewEvent requested{.type = "T", .at = *engine_->now()};
        change(requested);
        return word(engine_->schedule(requested));
    };
    const auto create = [&](auto change) {
        sundial::NewUser requested{"Ada", "Li", "1992-06-15", "Europe/Paris"};
        change(requested);
        return word(engine_->create_user(requested));
    };
    expect_answers({
        {"NewEvent.at",
         [&](Extent t) { return schedule([&](auto& e) { e.at = sized<sundial::Instant>(t); }); },
         {"ok", "ok", refused}},
        {"NewEvent.type",
         [&](Extent t) { return schedule([&](auto& e) { e.type = sized<std::string>(t); }); },
         {refused, "ok", refused}},
        {"NewEvent.payload",
         [&](Extent t) {
             return schedule(
                 [&](auto& e) { e.payload = t == Extent::one ? "1" : sized<std::string>(t); });
         },
         {refused, "ok", refused}},
        {"NewEvent.idempotency_key",
         [&](Extent t) {
             return schedule([&](auto& e) { e.idempotency_key = sized<std::string>(t); });
         },
         {"ok", "ok", refused}},
        {"NewUser.first_name",
         [&](Extent t) {
             return create([&](auto& user) { user.first_name = sized<std::string>(t); });
         },
         {refused, "ok", refused}},
        {"NewUser.last_name",
         [&](Extent t) {
             return create([&](auto& user) { user.last_name = sized<std::string>(t); });
         },
         {refused, "ok", refused}},
        {"NewUser.external_id",
         [&](Extent t) {
             return create([&](auto& user) { user.external_id = sized<std::string>(t); });
         },
         {"ok", "ok", refused}},
        {"advance by",
         [&](Extent t) { return word(engine_->advance(sized<microseconds>(t))); },
         {"ok", "ok", refused}},
    });
    EXPECT_EQ(word(engine_->advance(microseconds::min())), refused);
    EXPECT_EQ(schedule([](auto& e) { e.at = sundial::Instant::min(); }), refused);
}

TEST_P(Bounds, OfLocks) {
    const auto lock = [&](auto change) {
        sundial::LockOptions options;
        change(options);
        return word(engine_->acquire_lock(fresh_name(), options));
    };
    expect_answers({
        {"LockOptions.ttl",
         [&](Extent t) {
             return lock([&](auto& options) { options.ttl = sized<microseconds>(t); });
         },
         {refused, refused, refused}},
        {"LockOptions.wait",
         [&](Extent t) {
             return lock([&](auto& options) { options.wait = sized<microseconds>(t); });
         },
         {"ok", "ok", "ok"}},
        {"LockOptions.max_hold",
         [&](Extent t) {
             return lock([&](auto& options) { options.max_hold = sized<microseconds>(t); });
         },
         {refused, "ok", "ok"}},
        {"LockOptions.holder",
         [&](Extent t) {
             return lock([&](auto& options) { options.holder = sized<std::string>(t); });
         },
         {"ok", "ok", refused}},
        {"name of a lock",
         [&](Extent t) { return word(engine_->acquire_lock(sized<std::string>(t))); },
         {refused, "ok", refused}},
    });
    EXPECT_EQ(lock([](auto& options) { options.wait = microseconds::min(); }), refused);
    EXPECT_EQ(lock([](auto& options) { options.max_hold = microseconds::min(); }), refused);
}

TEST_P(Bounds, OfQueuesAndEndpoints) {
    const auto handle = [&](auto change) {
        sundial::QueueOptions options;
        change(options);
        return word(engine_->on_queue(
            fresh_name(), [](const Event&) { return sundial::Handled::done(); }, options));
    };
    const auto changed = [&](auto change) {
        const std::string queue = fresh_name();
        EXPECT_TRUE(engine_->create_queue(queue));
        sundial::EndpointChange requested;
        change(requested);
        return word(engine_->change_endpoint("ext:" + queue, requested));
    };
    using std::chrono::seconds;
    expect_answers({
        {"QueueOptions.threads",
         [&](Extent t) { return handle([&](auto& o) { o.threads = sized<std::size_t>(t); }); },
         {refused, "ok", refused}},
        {"QueueOptions.time_limit",
         [&](Extent t) { return handle([&](auto& o) { o.time_limit = sized<microseconds>(t); }); },
         {refused, "ok", "ok"}},
        {"QueueOptions.lease",
         [&](Extent t) { return handle([&](auto& o) { o.lease = sized<microseconds>(t); }); },
         {refused, refused, refused}},
        {"snooze until",
         [&](Extent t) {
             return word(any_worker().snooze(fresh_claim(), sized<sundial::Instant>(t)));
         },
         {"ok", "ok", "ok"}},
        {"EndpointChange.timeout",
         [&](Extent t) { return changed([&](auto& e) { e.timeout = sized<seconds>(t); }); },
         {refused, "ok", refused}},
        {"EndpointChange.retry_delays",
         [&](Extent t) {
             return changed([&](auto& e) { e.retry_delays = std::vector{sized<seconds>(t)}; });
         },
         {refused, "ok", refused}},
        {"EndpointChange.max_in_flight",
         [&](Extent t) {
             return changed([&](auto& e) { e.max_in_flight = sized<std::uint32_t>(t); });
         },
         {"ok", "ok", refused}},
        {"EndpointChange.max_per_second",
         [&](Extent t) {
             return changed([&](auto& e) { e.max_per_second = sized<std::uint32_t>(t); });
         },
         {"ok", "ok", refused}},
        {"EndpointChange.if_version",
         [&](Extent t) {
             return changed([&](auto& e) { e.if_version = sized<std::uint64_t>(t); });
         },
         {"OPTIMISTIC_LOCK", "ok", "OPTIMISTIC_LOCK"}},
    });
    EXPECT_EQ(handle([](auto& o) { o.time_limit = microseconds::min(); }), refused);
    EXPECT_EQ(handle([](auto& o) { o.lease = microseconds::min(); }), refused);
    EXPECT_EQ(word(any_worker().snooze(fresh_claim(), sundial::Instant::min())), "ok");
}

TEST_P(Bounds, OfALockThatIsWaitedForAsLongAsItTakes) {
    std::optional<sundial::Lock> first = *engine_->acquire_lock("job");
    auto second = std::async(std::launch::async, [&] {
        return word(engine_->acquire_lock("job", {.wait = microseconds::max()}));
    });
    EXPECT_EQ(second.wait_for(20ms), std::future_status::timeout);
    first.reset();
    EXPECT_EQ(second.get(), "ok");
}

TEST_P(Bounds, OfALockThatIsHeldAsLongAsItTakes) {
    const auto lock = engine_->acquire_lock("job", {.max_hold = microseconds::max()});
    ASSERT_TRUE(lock);
    EXPECT_FALSE(lock->lost().stop_requested());
}

TEST_P(Bounds, OfWorkThatIsWaitedForAsLongAsItTakes) {
    ASSERT_TRUE(engine_->create_queue("q"));
    auto work = std::async(std::launch::async, [&] {
        return engine_->worker("q", "w").claim({.wait = microseconds::max()});
    });
    EXPECT_EQ(work.wait_for(20ms), std::future_status::timeout);
    ASSERT_TRUE(engine_->schedule({.type = "T", .at = *engine_->now(), .queue = "q"}));
    const auto claimed = work.get();
    ASSERT_TRUE(claimed) << claimed.error().detail;
    EXPECT_EQ(claimed->size(), 1U);
}

}  // namespace
