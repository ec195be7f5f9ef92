#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "sundial/aggregate.hpp"
#include "sundial/cache.hpp"
#include "sundial/engine.hpp"
#include "sundial/locks.hpp"
#include "sundial/retry.hpp"
#include "sundial/session_lock.hpp"
#include "sundial/single_flight.hpp"
#include "sundial/streams.hpp"
#include "support/manual_timing.hpp"
#include "support/postgres_cluster.hpp"
#include "support/temporary_folder.hpp"

/// Issue 19, item 25: every count, limit, size and time of the public headers with nothing, one and
/// the greatest value that its type has. Useless values are refused; no value ends the process.
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using sundial::Done;
using sundial::Engine;
using sundial::Error;
using sundial::Event;
using sundial::Expected;
using sundial::NewRecordedEvent;
using sundial::RecordedEvent;
using sundial::Result;
using sundial::StreamId;
using sundial::Streams;
using sundial::Timing;
using sundial::Transaction;

enum class Extent : std::uint8_t { nothing, one, greatest };
constexpr std::array all_extents{Extent::nothing, Extent::one, Extent::greatest};

/// A number, a time or a text of that size.
template <class T>
T sized(Extent which) {
    if constexpr (std::is_same_v<T, std::string>) {
        return std::string(
            which == Extent::greatest ? std::size_t{5} << 20U : static_cast<std::size_t>(which),
            'x');
    } else if constexpr (std::is_arithmetic_v<T>) {
        return which == Extent::greatest ? std::numeric_limits<T>::max() : static_cast<T>(which);
    } else if (which == Extent::greatest) {
        return T::max();
    } else if constexpr (requires { typename T::clock; }) {
        return T{typename T::duration{static_cast<std::int64_t>(which)}};
    } else {
        return T{static_cast<typename T::rep>(which)};
    }
}

/// The result in one word.
template <class T>
std::string word(const Result<T>& answer) {
    return answer ? "ok" : answer.error().code;
}
template <class T>
std::string word_of_page(const Result<T>& page) {
    if (!page) return page.error().code;
    return std::to_string(page->events.size());
}

/// A setting, a call that uses it, and the expected result for each value.
struct Row {
    const char* what;
    std::function<std::string(Extent)> call;
    std::array<std::string, all_extents.size()> answers;
};

void expect_answers(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        for (const Extent which : all_extents) {
            const auto column = static_cast<std::size_t>(which);
            EXPECT_EQ(row.call(which), row.answers.at(column)) << row.what << ", try " << column;
        }
    }
}

constexpr const char* refused = "VALIDATION_FAILED";

struct Score {
    using Event = int;
    static constexpr const char* type = "Tally";
    static constexpr std::uint32_t state_version = 1;
    static NewRecordedEvent record(Event /*event*/) { return {.type = "Counted"}; }
    static std::optional<Event> recall(const RecordedEvent& /*event*/) { return 1; }
    void apply(Event event) { sum += event; }
    [[nodiscard]] std::string save() const { return std::to_string(sum); }
    static std::optional<Score> restore(const std::string& json) { return Score{std::stoi(json)}; }
    int sum = 0;
};
Result<std::vector<Score::Event>> count_one(const Score& /*score*/) { return std::vector{1}; }

class Bounds : public testing::TestWithParam<std::string> {
protected:
    Bounds() {
        const std::string storage = [&]() -> std::string {
            if (GetParam() == "sqlite") return "sqlite:" + folder_.file().string();
            if (GetParam() == "postgres") {
                return sundial::PostgresCluster::shared().create_database();
            }
            return "memory:";
        }();
        auto opened = Engine::open({.storage = storage, .test_clock = true});
        if (!opened) throw std::runtime_error(opened.error().detail);
        engine_.emplace(*std::move(opened));
        streams_.emplace(engine_->streams());
    }
    ~Bounds() override {
        streams_.reset();
        engine_.reset();
    }

    std::string fresh_name() { return "n" + std::to_string(++names_); }
    /// One of three events, with a snapshot of the second.
    StreamId fresh_stream() {
        StreamId stream{"Order", fresh_name()};
        const auto done = streams_->append(stream, Expected::no_stream(),
                                           {{.type = "A"}, {.type = "B"}, {.type = "C"}});
        EXPECT_TRUE(done) << done.error().detail;
        EXPECT_TRUE(*streams_->save_snapshot(stream, {.version = 2, .state = "{}"}));
        return stream;
    }
    Event fresh_claim() {
        const std::string queue = fresh_name();
        EXPECT_TRUE(engine_->create_queue(queue));
        EXPECT_TRUE(engine_->schedule({.type = "T", .at = *engine_->now(), .queue = queue}));
        const auto work = engine_->worker(queue, "w").claim();
        EXPECT_TRUE(work) << work.error().detail;
        return work->at(0);
    }
    sundial::PullWorker any_worker() { return engine_->worker("none", "w"); }

    sundial::TemporaryFolder folder_;
    std::optional<Engine> engine_;
    std::optional<Streams> streams_;
    int names_ = 0;
};
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

TEST_P(Bounds, OfAppends) {
    const auto append = [&](const StreamId& stream, Expected expected,
                            const std::vector<NewRecordedEvent>& events) {
        const std::string alone = word(streams_->append(stream, expected, events));
        StreamId sibling = stream;
        if (sibling.id.size() < 100) sibling.id += "b";
        std::string within;
        (void)streams_->transact([&](Transaction& tx) -> Result<Done> {
            auto repeated = events;
            for (auto& event : repeated) event.id.clear();
            within = word(tx.append(sibling, expected, repeated));
            if (within == "ok") return Done{};
            return Error{within, ""};
        });
        // A text of no length has become one of one.
        return within == alone || alone == refused ? alone : alone + " but in one " + within;
    };
    const auto one = [&](NewRecordedEvent event) {
        return append({"Order", fresh_name()}, Expected::no_stream(), {std::move(event)});
    };
    expect_answers({
        {"StreamId.type",
         [&](Extent t) {
             return append({sized<std::string>(t), fresh_name()}, Expected::any(), {{.type = "A"}});
         },
         {refused, "ok", refused}},
        {"StreamId.id",
         [&](Extent t) {
             return append({"Order", sized<std::string>(t)}, Expected::any(), {{.type = "A"}});
         },
         {refused, "ok", refused}},
        {"Expected::exactly",
         [&](Extent t) {
             return append({"Order", fresh_name()}, Expected::exactly(sized<std::uint64_t>(t)),
                           {{.type = "A"}});
         },
         {"ok", "OPTIMISTIC_LOCK", refused}},
        {"number of events",
         [&](Extent t) {
             const std::size_t count = t == Extent::greatest ? 1001 : static_cast<std::size_t>(t);
             return append({"Order", fresh_name()}, Expected::any(),
                           std::vector<NewRecordedEvent>(count, {.type = "A"}));
         },
         {refused, "ok", "PAYLOAD_TOO_LARGE"}},
        {"NewRecordedEvent.type",
         [&](Extent t) { return one({.type = sized<std::string>(t)}); },
         {refused, "ok", refused}},
        {"NewRecordedEvent.data",
         [&](Extent t) {
             return one({.type = "A", .data = t == Extent::one ? "1" : sized<std::string>(t)});
         },
         {refused, "ok", "PAYLOAD_TOO_LARGE"}},
        {"NewRecordedEvent.schema_version",
         [&](Extent t) { return one({.type = "A", .schema_version = sized<std::uint32_t>(t)}); },
         {refused, "ok", refused}},
        {"EventMetadata.actor",
         [&](Extent t) { return one({.type = "A", .metadata = {.actor = sized<std::string>(t)}}); },
         {"ok", "ok", "PAYLOAD_TOO_LARGE"}},
        {"EventMetadata.occurred_at",
         [&](Extent t) {
             return one({.type = "A", .metadata = {.occurred_at = sized<sundial::Instant>(t)}});
         },
         {"ok", "ok", refused}},
    });
}

TEST_P(Bounds, OfReading) {
    const auto read = [&](auto change) {
        const StreamId stream = fresh_stream();
        sundial::StreamRange range;
        change(range);
        const std::string alone = word_of_page(streams_->read(stream, range));
        std::string within;
        (void)streams_->transact([&](Transaction& tx) -> Result<Done> {
            within = word_of_page(tx.read(stream, range));
            return Done{};
        });
        EXPECT_EQ(within, alone);
        return alone;
    };
    const auto feed = [&](std::uint64_t after, std::size_t limit) {
        fresh_stream();
        return word_of_page(streams_->feed(after, {.event_types = {"B"}}, limit));
    };
    (void)fresh_stream();
    expect_answers({
        {"StreamRange.from",
         [&](Extent t) { return read([&](auto& range) { range.from = sized<std::uint64_t>(t); }); },
         {"3", "3", "0"}},
        {"StreamRange.to",
         [&](Extent t) { return read([&](auto& range) { range.to = sized<std::uint64_t>(t); }); },
         {"0", "1", "3"}},
        {"StreamRange.to, backward",
         [&](Extent t) {
             return read([&](auto& range) {
                 range.to = sized<std::uint64_t>(t);
                 range.backward = true;
             });
         },
         {"0", "1", "3"}},
        {"StreamRange.limit",
         [&](Extent t) { return read([&](auto& range) { range.limit = sized<std::size_t>(t); }); },
         {refused, "1", refused}},
        {"feed limit",
         [&](Extent t) { return feed(0, sized<std::size_t>(t)); },
         {refused, "1", refused}},
        {"feed after",
         [&](Extent t) {
             const auto page = streams_->feed(sized<std::uint64_t>(t), {}, 1);
             if (!page) return page.error().code;
             EXPECT_GE(page->next_position, sized<std::uint64_t>(t));
             return std::to_string(page->events.size());
         },
         {"1", "1", "0"}},
    });
}

TEST_P(Bounds, OfKeepingStreams) {
    expect_answers({
        {"Snapshot.version",
         [&](Extent t) {
             return word(streams_->save_snapshot(
                 fresh_stream(), {.version = sized<std::uint64_t>(t), .state = "{}"}));
         },
         {refused, "ok", refused}},
        {"Snapshot.schema_version",
         [&](Extent t) {
             return word(streams_->save_snapshot(
                 fresh_stream(),
                 {.version = 3, .schema_version = sized<std::uint32_t>(t), .state = "{}"}));
         },
         {refused, "ok", refused}},
        {"truncate version",
         [&](Extent t) {
             return word(streams_->truncate(fresh_stream(), sized<std::uint64_t>(t)));
         },
         {"ok", "ok", refused}},
        {"redact version",
         [&](Extent t) {
             return word(streams_->redact(fresh_stream(), sized<std::uint64_t>(t), "{}"));
         },
         {refused, "ok", refused}},
        {"name of a checkpoint",
         [&](Extent t) { return word(streams_->checkpoint(sized<std::string>(t))); },
         {refused, "ok", refused}},
        {"Checkpoint.position",
         [&](Extent t) {
             return word(
                 streams_->save_checkpoint(fresh_name(), {.position = sized<std::uint64_t>(t)}, 0));
         },
         {"ok", "ok", refused}},
        {"Checkpoint.fencing_token",
         [&](Extent t) {
             return word(streams_->save_checkpoint(
                 fresh_name(), {.position = 1, .fencing_token = sized<std::uint64_t>(t)}, 0));
         },
         {"ok", "ok", refused}},
        {"previous position",
         [&](Extent t) {
             return word(
                 streams_->save_checkpoint(fresh_name(), {.position = 1}, sized<std::uint64_t>(t)));
         },
         {"ok", "CHECKPOINT_CONFLICT", "CHECKPOINT_CONFLICT"}},
        {"parked after",
         [&](Extent t) { return word(streams_->parked("f", sized<std::uint64_t>(t))); },
         {"ok", "ok", "ok"}},
        {"unpark position",
         [&](Extent t) {
             const auto was_there = streams_->unpark("f", sized<std::uint64_t>(t));
             return was_there ? std::string{*was_there ? "there" : "not there"}
                              : was_there.error().code;
         },
         {"not there", "not there", "not there"}},
    });
}

TEST_P(Bounds, OfFollowing) {
    fresh_stream();
    const auto follow = [&](auto change) {
        const auto catch_up = [&](auto subscription) { return word(subscription.catch_up()); };
        sundial::Following following{.name = fresh_name()};
        change(following);
        const std::string handled = catch_up(
            streams_->follow(following, [](const auto&) -> Result<Done> { return Done{}; }));
        following.name = following.name.size() > 1000 ? following.name : fresh_name();
        const std::string projected = catch_up(streams_->project(
            following, [](auto&, const auto&) -> Result<Done> { return Done{}; }));
        EXPECT_EQ(handled, projected);
        return handled;
    };
    expect_answers({
        {"Following.name",
         [&](Extent t) {
             return t == Extent::nothing
                        ? word(streams_
                                   ->follow({.name = ""},
                                            [](const auto&) -> Result<Done> { return Done{}; })
                                   .catch_up())
                        : follow([&](auto& f) { f.name = sized<std::string>(t); });
         },
         {"STOPPED", "ok", "STOPPED"}},
        {"Following.lease",
         [&](Extent t) { return follow([&](auto& f) { f.lease = sized<microseconds>(t); }); },
         {"STOPPED", "STOPPED", "STOPPED"}},
        {"Following.page",
         [&](Extent t) { return follow([&](auto& f) { f.page = sized<std::size_t>(t); }); },
         {"STOPPED", "ok", "STOPPED"}},
        {"Following.lanes",
         [&](Extent t) { return follow([&](auto& f) { f.lanes = sized<std::size_t>(t); }); },
         {"STOPPED", "ok", "STOPPED"}},
        {"Following.retry.max_attempts",
         [&](Extent t) {
             return follow([&](auto& f) { f.retry.max_attempts = sized<unsigned>(t); });
         },
         {"STOPPED", "ok", "ok"}},
        {"Following.retry.base",
         [&](Extent t) { return follow([&](auto& f) { f.retry.base = sized<microseconds>(t); }); },
         {"ok", "ok", "STOPPED"}},  // more than the cap
        {"Following.retry.cap",
         [&](Extent t) {
             return follow([&](auto& f) {
                 f.retry.base = 0us;
                 f.retry.cap = sized<microseconds>(t);
             });
         },
         {"ok", "ok", "ok"}},
    });
}

TEST_P(Bounds, OfAggregates) {
    const auto execute = [&](sundial::AggregateRepository<Score>::Settings settings,
                             const sundial::Execution& how) {
        sundial::AggregateRepository<Score> scores{*streams_, std::move(settings)};
        const std::string id = fresh_name();
        for (int i = 0; i < 2; ++i) {
            const auto done = scores.execute(id, count_one, how);
            if (!done) return done.error().code;
        }
        return std::to_string(scores.load(id)->state.sum);
    };
    expect_answers({
        {"Execution.pessimistic_after",
         [&](Extent t) { return execute({}, {.pessimistic_after = sized<unsigned>(t)}); },
         {"2", "2", "2"}},
        {"Execution.retry.max_attempts",
         [&](Extent t) { return execute({}, {.retry = {.max_attempts = sized<unsigned>(t)}}); },
         {refused, "2", "2"}},
        {"Settings.snapshot_every",
         [&](Extent t) { return execute({.snapshot_every = sized<std::uint64_t>(t)}, {}); },
         {"2", "2", "2"}},
        {"Loaded.version",
         [&](Extent t) {
             sundial::AggregateRepository<Score> scores{*streams_};
             sundial::Loaded<Score> loaded{.id = fresh_name()};
             loaded.raise(1);
             loaded.version = sized<std::uint64_t>(t);  // which its one event was raised at
             return word(scores.save(loaded));
         },
         {refused, "ok", refused}},
    });
}

TEST(Bounds, OfSessionLocks) {
    const std::string url = sundial::PostgresCluster::shared().create_database();
    expect_answers({
        {"wait",
         [&](Extent t) {
             return word(sundial::SessionLock::acquire(url, "migrate",
                                                       sized<std::chrono::milliseconds>(t)));
         },
         {"ok", "ok", refused}},
        {"name",
         [&](Extent t) { return word(sundial::SessionLock::acquire(url, sized<std::string>(t))); },
         {refused, "ok", refused}},
    });
}

TEST(Bounds, OfRetries) {
    const auto retry = [](auto change, std::optional<microseconds> retry_after = {}) {
        sundial::ManualTiming timing;
        sundial::RetryRules rules{.max_attempts = 2};
        change(rules);
        sundial::RetryWhen<Error> when;
        if (retry_after) when.retry_after = [&](const Error&) { return retry_after; };
        int calls = 0;
        const auto answer = sundial::retry(
            rules,
            [&]() -> Result<Done> {
                if (++calls == 3) return Done{};
                return Error{"OPTIMISTIC_LOCK", ""};
            },
            when, timing);
        return std::to_string(calls) + " " + word(answer);
    };
    expect_answers({
        {"RetryRules.max_attempts",
         [&](Extent t) {
             return retry([&](auto& rules) { rules.max_attempts = sized<unsigned>(t); });
         },
         {"0 VALIDATION_FAILED", "1 OPTIMISTIC_LOCK", "3 ok"}},
        {"RetryRules.base and cap",
         [&](Extent t) {
             return retry([&](auto& rules) {
                 rules.base = rules.cap = sized<microseconds>(t);
                 rules.jitter = sundial::Jitter::none;
             });
         },
         {"2 OPTIMISTIC_LOCK", "2 OPTIMISTIC_LOCK", "1 OPTIMISTIC_LOCK"}},  // no clock goes so far
        {"RetryRules.cap, decorrelated",
         [&](Extent t) {
             return retry([&](auto& rules) {
                 rules.base = 0us;
                 rules.cap = sized<microseconds>(t);
                 rules.jitter = sundial::Jitter::decorrelated;
             });
         },
         {"2 OPTIMISTIC_LOCK", "2 OPTIMISTIC_LOCK", "2 OPTIMISTIC_LOCK"}},
        {"RetryRules.deadline",
         [&](Extent t) {
             return retry([&](auto& rules) { rules.deadline = sized<Timing::Moment>(t); });
         },
         {"1 OPTIMISTIC_LOCK", "1 OPTIMISTIC_LOCK", "2 OPTIMISTIC_LOCK"}},
        {"retry_after",
         [&](Extent t) { return retry([](auto&) {}, sized<microseconds>(t)); },
         {"2 OPTIMISTIC_LOCK", "2 OPTIMISTIC_LOCK", "1 OPTIMISTIC_LOCK"}},
        {"retry of retry_delay",
         [](Extent t) {
             const sundial::RetryRules rules{.jitter = sundial::Jitter::none};
             return std::to_string(
                 sundial::retry_delay(rules, sized<unsigned>(t), 0us, 0.5).count());
         },
         {"5000", "10000", "250000"}},
        {"previous of retry_delay",
         [](Extent t) {
             const sundial::RetryRules rules{.base = 0us, .jitter = sundial::Jitter::decorrelated};
             return std::to_string(
                 sundial::retry_delay(rules, 0, sized<microseconds>(t), 0.5).count());
         },
         {"0", "1", "125000"}},
    });
    EXPECT_EQ(retry([](auto& rules) { rules.deadline = Timing::Moment::min(); }),
              "1 OPTIMISTIC_LOCK");
    EXPECT_EQ(retry([](auto&) {}, microseconds::min()), "2 OPTIMISTIC_LOCK");
}

TEST(Bounds, OfRetryBudgets) {
    const auto allowed = [](const sundial::RetryBudget::Settings& settings) {
        sundial::RetryBudget budget{settings};
        for (int i = 0; i < 5; ++i) budget.first_call();
        int taken = 0;
        while (taken < 1000 && budget.take(Timing::Moment{})) ++taken;
        return std::to_string(taken);
    };
    expect_answers({
        {"per_call",
         [&](Extent t) { return allowed({.per_call = sized<double>(t), .floor_per_second = 0.0}); },
         {"0", "5", "100"}},
        {"floor_per_second",
         [&](Extent t) { return allowed({.per_call = 0.0, .floor_per_second = sized<double>(t)}); },
         {"0", "1", "1000"}},
        {"max_tokens",
         [&](Extent t) {
             return allowed({.floor_per_second = 0.0, .max_tokens = sized<double>(t)});
         },
         {"0", "1", "1"}},
    });
    EXPECT_EQ(allowed({.per_call = -1.0, .floor_per_second = -1.0, .max_tokens = -1.0}), "0");
    EXPECT_EQ(
        allowed({.per_call = std::numeric_limits<double>::quiet_NaN(), .floor_per_second = 0.0}),
        "0");
}

TEST(Bounds, OfCaches) {
    using Cache = sundial::Cache<int, int>;
    // How many loads three readers bring about, a second after each other.
    const auto loads = [](auto change) {
        sundial::ManualTiming timing;
        timing.fixed_unit = 0.9;
        sundial::CacheRules rules{.early_refresh = 0.0};
        change(rules);
        Cache cache{rules,
                    [](int, const std::stop_token&) -> Cache::Loaded { return std::optional{1}; },
                    timing, [](const std::function<void()>& work) { work(); }};
        for (int i = 0; i < 3; ++i) {
            const auto answer = cache.get(1);
            if (!answer) return answer.error().code;
            EXPECT_EQ(**answer, 1);
            timing.advance(1s);
        }
        return std::to_string(cache.counts().loads);
    };
    const auto absent = [](microseconds negative_ttl) {
        sundial::ManualTiming timing;
        Cache cache{
            {.negative_ttl = negative_ttl},
            [](int, const std::stop_token&) -> Cache::Loaded { return std::optional<int>{}; },
            timing};
        for (int i = 0; i < 3; ++i) {
            EXPECT_FALSE(*cache.get(1));
            timing.advance(1s);
        }
        return std::to_string(cache.counts().loads);
    };
    expect_answers({
        {"CacheRules.ttl",
         [&](Extent t) { return loads([&](auto& rules) { rules.ttl = sized<microseconds>(t); }); },
         {refused, "3", "1"}},
        {"CacheRules.ttl_jitter",
         [&](Extent t) { return loads([&](auto& rules) { rules.ttl_jitter = sized<double>(t); }); },
         {"1", refused, refused}},
        {"CacheRules.stale_while_revalidate",
         [&](Extent t) {
             return loads([&](auto& rules) {
                 rules.ttl = 1us;
                 rules.stale_while_revalidate = sized<microseconds>(t);
             });
         },
         {"3", "3", "3"}},
        {"CacheRules.stale_if_error",
         [&](Extent t) {
             return loads([&](auto& rules) { rules.stale_if_error = sized<microseconds>(t); });
         },
         {"1", "1", "1"}},
        {"CacheRules.negative_ttl",
         [&](Extent t) { return absent(sized<microseconds>(t)); },
         {"3", "3", "1"}},
        {"CacheRules.early_refresh",
         [&](Extent t) {
             return loads([&](auto& rules) { rules.early_refresh = sized<double>(t); });
         },
         {"1", "1", "1"}},  // a load that takes no time is never early
        {"CacheRules.max_entries",
         [&](Extent t) {
             return loads([&](auto& rules) { rules.max_entries = sized<std::size_t>(t); });
         },
         {refused, "1", "1"}},
        {"CacheRules.most_refreshes",
         [&](Extent t) {
             return loads([&](auto& rules) {
                 rules.ttl = 1us;
                 rules.stale_while_revalidate = 1h;
                 rules.max_refreshes = sized<std::size_t>(t);
             });
         },
         {"1", "3", "3"}},
        {"deadline of get",
         [](Extent t) {
             Cache cache{{}, [](int, const std::stop_token& stop) -> Cache::Loaded {
                             while (!stop.stop_requested()) std::this_thread::yield();
                             return Error{"STOPPED", ""};
                         }};
             if (t == Extent::greatest) return std::string{"waits"};
             return word(cache.get(1, {}, sized<Timing::Moment>(t)));
         },
         {"REQUEST_TIMEOUT", "REQUEST_TIMEOUT", "waits"}},
        {"deadline of SingleFlight::run",
         [](Extent t) {
             sundial::SingleFlight<int, int> flights;
             return word(flights.run(
                 1,
                 [&](const std::stop_token& stop) -> Result<int> {
                     while (t != Extent::greatest && !stop.stop_requested()) {
                         std::this_thread::yield();
                     }
                     return 1;
                 },
                 {}, sized<Timing::Moment>(t)));
         },
         {"REQUEST_TIMEOUT", "REQUEST_TIMEOUT", "ok"}},
    });
}

/// Another process loads, and it is there at the second look.
TEST(Bounds, OfLoadsAcrossProcesses) {
    using Cache = sundial::Cache<int, int>;
    class Elsewhere final : public sundial::LoadLeases {
    public:
        std::optional<std::string> try_acquire(const std::string&, microseconds) override {
            return std::nullopt;
        }
        void release(const std::string&, const std::string&) override {}
    };
    expect_answers({
        {"AcrossProcesses.poll",
         [](Extent t) {
             sundial::ManualTiming timing;
             Elsewhere leases;
             int polls = 0;
             const auto load = sundial::once_across_processes<int, int>(
                 {.leases = leases,
                  .name = [](int) { return std::string{"k"}; },
                  .find = [&](int) -> Cache::Loaded {
                      if (++polls < 2) return std::optional<int>{};
                      return std::optional{7};
                  },
                  .keep = [](int, int) {},
                  .poll = sized<microseconds>(t)},
                 [](int, const std::stop_token&) -> Cache::Loaded { return std::optional{0}; },
                 timing);
             const auto loaded = load(1, {});
             for (const auto slept : timing.sleeps) EXPECT_GE(slept, 1ms);
             return loaded ? std::to_string(**loaded) : loaded.error().code;
         },
         {"7", "7", "7"}},
    });
}

}  // namespace
