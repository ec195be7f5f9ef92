#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "sundial/aggregate.hpp"
#include "sundial/event_types.hpp"
#include "sundial/outcomes.hpp"
#include "support/migrated_database.hpp"
#include "support/temporary_folder.hpp"

/// Tests typed events, kept versions and inline projections as an embedding program uses them:
/// through the public headers alone.
namespace {

using namespace std::chrono_literals;
using sundial::Done;
using sundial::Engine;
using sundial::Error;
using sundial::Expected;
using sundial::RecordedEvent;
using sundial::Result;
using sundial::StreamId;
using sundial::Transaction;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Its amount was in cents, then in tenths, before schema version 3.
struct Paid {
    static constexpr const char* type = "Paid";
    static constexpr std::uint32_t schema_version = 3;
    int amount = 0;

    [[nodiscard]] std::string write() const { return std::to_string(amount); }
    static Result<Paid> read(const std::string& data) {
        if (data.find_first_not_of("0123456789") != std::string::npos) {
            return Error{"NO_NUMBER", "its amount " + data + " is not a number"};
        }
        return Paid{std::stoi(data)};  // throws if it is too great
    }
    static std::string upcast(std::uint32_t /*from*/, const std::string& data) {
        return std::to_string(std::stoi(data) / 10);
    }
};
struct Settled {
    static constexpr const char* type = "Settled";
    [[nodiscard]] std::string write() const { return "{}"; }
    static Result<Settled> read(const std::string& /*data*/) { return Settled{}; }
};
using Events = sundial::EventTypes<Paid, Settled>;

/// Counts the events that it applies, in all copies.
struct Bill {
    using Event = Events::Event;
    static constexpr const char* type = "Bill";
    static sundial::NewRecordedEvent record(const Event& event) { return Events::record(event); }
    static Result<Event> recall(const RecordedEvent& kept) { return Events::recall(kept); }
    void apply(const Event& event) {
        ++applied;
        if (const auto* paid = std::get_if<Paid>(&event)) sum += paid->amount;
    }
    inline static int applied = 0;
    int sum = 0;
};
using Bills = sundial::AggregateRepository<Bill>;
using BillDecision = Result<std::vector<Bill::Event>>;

RecordedEvent kept_event(std::string type, std::uint32_t version, std::string data) {
    return {.stream = {"Bill", "7"},
            .version = 4,
            .position = 44,
            .type = std::move(type),
            .schema_version = version,
            .data = std::move(data)};
}

TEST(EventTypes, ReadWhatTheyWrote) {
    EXPECT_THAT(Events::names(), ElementsAre("Paid", "Settled"));
    const auto recorded = Events::record(Paid{12});
    EXPECT_EQ(recorded.type, "Paid");
    EXPECT_EQ(recorded.schema_version, 3U);
    EXPECT_EQ(Events::record(Settled{}).schema_version, 1U);
    const auto event = Events::recall(kept_event("Paid", 3, recorded.data));
    ASSERT_TRUE(event);
    EXPECT_EQ(std::get<Paid>(*event).amount, 12);
}

TEST(EventTypes, UpcastOlderVersions) {
    const auto tenths = Events::recall(kept_event("Paid", 2, "120"));
    ASSERT_TRUE(tenths);
    EXPECT_EQ(std::get<Paid>(*tenths).amount, 12);
    const auto cents = Events::recall(kept_event("Paid", 1, "1200"));
    ASSERT_TRUE(cents);
    EXPECT_EQ(std::get<Paid>(*cents).amount, 12);
}

TEST(EventTypes, SayWhatIsWrong) {
    const auto unknown = Events::recall(kept_event("Piad", 3, "1")).error();
    EXPECT_EQ(unknown.code, "UNKNOWN_EVENT_TYPE");
    EXPECT_EQ(unknown.detail,
              "event 4 of Bill '7' (position 44): its type 'Piad' is none of Paid, Settled");
    const auto newer = Events::recall(kept_event("Paid", 4, "1")).error();
    EXPECT_EQ(newer.code, "UNKNOWN_EVENT_TYPE");
    EXPECT_THAT(newer.detail, AllOf(HasSubstr("schema version 4"), HasSubstr("up to 3")));
    const auto older = Events::recall(kept_event("Settled", 0, "{}")).error();
    EXPECT_EQ(older.code, "UNKNOWN_EVENT_TYPE");
    EXPECT_THAT(older.detail, HasSubstr("only version 1"));
    const auto wrong = Events::recall(kept_event("Paid", 3, "many")).error();
    EXPECT_EQ(wrong.code, "EVENT_NOT_READABLE");
    EXPECT_THAT(wrong.detail, AllOf(HasSubstr("event 4 of Bill '7'"), HasSubstr("amount many")));
    EXPECT_EQ(Events::recall(kept_event("Paid", 3, "99999999999999")).error().code,
              "EVENT_NOT_READABLE");
    EXPECT_EQ(Events::recall(kept_event("Paid", 2, "many")).error().code, "EVENT_NOT_READABLE");
    const auto erased = Events::recall(kept_event("Paid", 3, "")).error();
    EXPECT_EQ(erased.code, "EVENT_NOT_READABLE");
    EXPECT_THAT(erased.detail, HasSubstr("erased"));
}

class EventStoreOnEach : public testing::TestWithParam<std::string> {
protected:
    EventStoreOnEach() {
        std::string storage = "memory:";
        if (GetParam() == "sqlite") storage = "sqlite:" + folder_.file().string();
        if (GetParam() == "postgres") {
            storage = sundial::migrated_database();
        }
        auto opened = Engine::open({.storage = storage});
        if (!opened) throw std::runtime_error(opened.error().detail);
        engine_.emplace(*std::move(opened));
        streams_.emplace(engine_->streams());
        Bill::applied = 0;
    }
    ~EventStoreOnEach() override { streams_.reset(); }

    Engine& engine() { return *engine_; }
    /// Another writer. On a busy machine a wait for a lock may time out.
    void pay(const std::string& id, int amount) {
        const auto append = [&] {
            return streams_->append({"Bill", id}, Expected::any(), {Events::record(Paid{amount})});
        };
        auto done = append();
        while (!done && done.error().code == "STORAGE_UNAVAILABLE") done = append();
        ASSERT_TRUE(done) << done.error().detail;
    }
    std::vector<std::string> recorded(const StreamId& stream) {
        std::vector<std::string> all;
        const auto part = streams_->read(stream);
        if (part) {
            for (const auto& event : part->events) all.push_back(event.type + " " + event.data);
        }
        return all;
    }
    /// Copies events of type Bill into a stream of their own, beside the events themselves.
    static Result<Done> copy(Transaction& tx, const RecordedEvent& event) {
        const auto kept = tx.append({"Copy", event.stream.id}, Expected::any(),
                                    {{.type = "Copied", .data = std::to_string(event.version)}});
        if (!kept) return kept.error();
        if (event.data == "13") return Error{"UNLUCKY", "not this one"};
        return Done{};
    }

    std::optional<sundial::Streams> streams_;

private:
    sundial::TemporaryFolder folder_;
    std::optional<Engine> engine_;
};

TEST_P(EventStoreOnEach, ALoadReadsOnlyWhatIsNewerThanTheLastVersionSeen) {
    Bills bills{*streams_, {.keep_versions = 2}};
    for (int i = 1; i <= 600; ++i) pay("a", 1);
    ASSERT_EQ(bills.load("a")->state.sum, 600);
    EXPECT_EQ(Bill::applied, 600);
    ASSERT_EQ(bills.load("a")->state.sum, 600);
    EXPECT_EQ(Bill::applied, 600);
    for (int i = 1; i <= 600; ++i) pay("a", 1);  // by another writer, more than one page
    const auto newer = bills.load("a");
    ASSERT_TRUE(newer);
    EXPECT_EQ(newer->state.sum, 1'200);
    EXPECT_EQ(newer->version, 1'200U);
    EXPECT_EQ(Bill::applied, 1'200);
    const auto decide = [](const Bill&) -> BillDecision {
        return std::vector<Bill::Event>{Paid{5}};
    };
    ASSERT_TRUE(bills.execute("a", decide));
    ASSERT_EQ(bills.load("a")->state.sum, 1'205);
    EXPECT_EQ(Bill::applied, 1'201);  // the save kept its state
    pay("a", 1);
    const auto executed = bills.execute("a", decide);  // a stale version costs no conflict
    ASSERT_TRUE(executed);
    EXPECT_EQ(executed->attempts, 1U);
    EXPECT_EQ(executed->state.sum, 1'211);
}

TEST_P(EventStoreOnEach, KeptVersionsAreLimitedAndShared) {
    Bills bills{*streams_, {.keep_versions = 2}};
    Bills same = bills;
    for (const char* id : {"a", "b", "c"}) pay(id, 1);
    for (const char* id : {"a", "b", "a", "c"}) ASSERT_TRUE(bills.load(id));
    EXPECT_EQ(Bill::applied, 3);
    ASSERT_TRUE(same.load("a"));
    EXPECT_EQ(Bill::applied, 3);
    ASSERT_TRUE(bills.load("b"));  // was evicted for c
    EXPECT_EQ(Bill::applied, 4);
    Bills none{*streams_};
    ASSERT_TRUE(none.load("a"));
    ASSERT_TRUE(none.load("a"));
    EXPECT_EQ(Bill::applied, 6);
}

TEST_P(EventStoreOnEach, AKeptVersionThatWasRolledBackIsNotUsed) {
    Bills bills{*streams_, {.keep_versions = 9}};
    const auto rolled_back = streams_->locked({"Bill", "a"}, [&](Transaction& tx) -> Result<Done> {
        auto appended = tx.append({"Bill", "a"}, Expected::any(), {Events::record(Paid{100})});
        if (!appended) return appended.error();
        auto seen = bills.load("a");  // as a part of the transaction
        if (!seen) return seen.error();
        return Error{"NO", "roll back"};
    });
    EXPECT_EQ(rolled_back.error().code, "NO");
    EXPECT_EQ(bills.load("a").error().code, "AGGREGATE_NOT_FOUND");
    pay("a", 1);
    EXPECT_EQ(bills.load("a")->state.sum, 1);
}

TEST_P(EventStoreOnEach, ALoadReturnsWhyAnEventCannotBeRead) {
    Bills bills{*streams_};
    ASSERT_TRUE(streams_->append({"Bill", "a"}, Expected::any(),
                                 {{.type = "Paid", .data = "\"many\"", .schema_version = 3}}));
    const auto loaded = bills.load("a");
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, "EVENT_NOT_READABLE");
    EXPECT_THAT(loaded.error().detail, HasSubstr("event 1 of Bill 'a'"));
}

TEST_P(EventStoreOnEach, ASubscriptionGetsValues) {
    pay("a", 1);
    pay("b", 2);
    int sum = 0;
    auto sums = streams_->follow({.name = "sums", .filter = {.event_types = Events::names()}},
                                 Events::each([&](const auto& event, const RecordedEvent& kept) {
                                     EXPECT_EQ(kept.stream.type, "Bill");
                                     sum += std::get<Paid>(event).amount;
                                     return Result<Done>{Done{}};
                                 }));
    ASSERT_TRUE(sums.catch_up());
    EXPECT_EQ(sum, 3);
}

TEST_P(EventStoreOnEach, InlineProjectionsCommitWithTheAppend) {
    streams_->project_inline({.stream_types = {"Bill"}, .event_types = {"Paid"}}, copy);
    const auto stored = streams_->append(
        {"Bill", "a"}, Expected::no_stream(),
        {Events::record(Paid{1}), Events::record(Settled{}), Events::record(Paid{2})});
    ASSERT_TRUE(stored) << stored.error().detail;
    EXPECT_EQ(stored->last_version, 3U);
    EXPECT_THAT(recorded({"Copy", "a"}), ElementsAre("Copied 1", "Copied 3"));
    ASSERT_TRUE(streams_->append({"Other", "a"}, Expected::any(), {Events::record(Paid{1})}));
    EXPECT_THAT(recorded({"Copy", "a"}), ElementsAre("Copied 1", "Copied 3"));
    // Of a repository, too.
    ASSERT_TRUE(Bills{*streams_}.execute(
        "b", [](const Bill&) -> BillDecision { return std::vector<Bill::Event>{Paid{5}}; }));
    EXPECT_THAT(recorded({"Copy", "b"}), ElementsAre("Copied 1"));
}

TEST_P(EventStoreOnEach, AFailedInlineProjectionUndoesTheAppend) {
    streams_->project_inline({.stream_types = {"Bill"}}, copy);
    const auto refused = streams_->append({"Bill", "a"}, Expected::any(),
                                          {Events::record(Paid{1}), Events::record(Paid{13})});
    EXPECT_EQ(refused.error().code, "UNLUCKY");
    EXPECT_THAT(recorded({"Bill", "a"}), IsEmpty());
    EXPECT_THAT(recorded({"Copy", "a"}), IsEmpty());
    EXPECT_EQ(streams_->append({"Bill", "a"}, Expected::exactly(5), {Events::record(Paid{1})})
                  .error()
                  .code,
              "OPTIMISTIC_LOCK");

    // In a transaction the refused append is undone alone.
    const auto done = engine().transact([&](Transaction& tx) -> Result<Done> {
        auto first = tx.append({"Bill", "b"}, Expected::any(), {Events::record(Paid{1})});
        if (!first) return first.error();
        auto second = tx.append({"Bill", "b"}, Expected::any(), {Events::record(Paid{13})});
        EXPECT_EQ(second.error().code, "UNLUCKY");
        return Done{};
    });
    ASSERT_TRUE(done) << done.error().detail;
    EXPECT_THAT(recorded({"Bill", "b"}), ElementsAre("Paid 1"));
    EXPECT_THAT(recorded({"Copy", "b"}), ElementsAre("Copied 1"));
}

TEST_P(EventStoreOnEach, AnInlineProjectionThatThrowsUndoesTheAppend) {
    streams_->project_inline({}, [](Transaction&, const RecordedEvent&) -> Result<Done> {
        throw std::runtime_error("out of paper");
    });
    const auto refused =
        streams_->append({"Bill", "a"}, Expected::any(), {Events::record(Settled{})});
    EXPECT_EQ(refused.error().code, "INTERNAL_ERROR");
    EXPECT_THAT(refused.error().detail, HasSubstr("out of paper"));
    EXPECT_THAT(recorded({"Bill", "a"}), IsEmpty());
}

TEST_P(EventStoreOnEach, ARepeatedBatchIsProjectedOnce) {
    streams_->project_inline({.stream_types = {"Bill"}}, copy);
    auto event = Events::record(Paid{1});
    event.id = streams_->fresh_id();
    for (const bool replayed : {false, true}) {
        const auto stored = streams_->append({"Bill", "a"}, Expected::any(), {event});
        ASSERT_TRUE(stored) << stored.error().detail;
        EXPECT_EQ(stored->replayed, replayed);
    }
    EXPECT_THAT(recorded({"Copy", "a"}), ElementsAre("Copied 1"));
}

TEST_P(EventStoreOnEach, InlineProjectionsOfConcurrentAppendsAllCount) {
    streams_->project_inline({.stream_types = {"Bill"}}, [](Transaction& tx, const RecordedEvent&) {
        const auto kept = tx.append({"Total", "all"}, Expected::any(), {{.type = "Counted"}});
        return kept ? Result<Done>{Done{}} : Result<Done>{kept.error()};
    });
    {
        std::vector<std::jthread> writers;
        for (const char* id : {"a", "b", "c", "d"}) {
            writers.emplace_back([this, id] {
                for (int i = 0; i < 10; ++i) pay(id, 1);
            });
        }
    }
    const auto total = streams_->read({"Total", "all"});
    ASSERT_TRUE(total);
    EXPECT_EQ(total->version, 40U);
}

TEST_P(EventStoreOnEach, ACallerWaitsUntilASubscriptionHasHandledItsEvents) {
    const auto stored = streams_->append({"Bill", "a"}, Expected::any(), {Events::record(Paid{1})});
    ASSERT_TRUE(stored);
    auto copies = streams_->project({.name = "copies", .filter = {.stream_types = {"Bill"}}}, copy);
    const auto early = streams_->wait("copies", stored->last_position, 0ms);
    EXPECT_EQ(early.error().code, "REQUEST_TIMEOUT");
    EXPECT_THAT(early.error().detail, HasSubstr("'copies' is at position 0"));
    copies.start();
    const auto done = streams_->wait("copies", stored->last_position, 10min);
    EXPECT_TRUE(done) << done.error().detail;
    EXPECT_THAT(recorded({"Copy", "a"}), ElementsAre("Copied 1"));
    copies.stop();
    EXPECT_EQ(streams_->wait("two words", 1, 0ms).error().code, "VALIDATION_FAILED");
}

/// Two engines on one database, as two processes would have.
TEST(SubscriptionGroups, HaveOneActiveMemberAndTheOthersTakeOver) {
    const std::string storage = sundial::migrated_database();
    Engine first = Engine::open({.storage = storage}).value();
    Engine second = Engine::open({.storage = storage}).value();
    const auto member = [](Engine& engine, const std::string& name) {
        return engine.streams().project(
            {.name = "group", .filter = {.stream_types = {"Bill"}}},
            [name](Transaction& tx, const RecordedEvent&) -> Result<Done> {
                auto kept = tx.append({"By", name}, Expected::any(), {{.type = "Counted"}});
                if (!kept) return kept.error();
                return Done{};
            });
    };
    auto streams = first.streams();
    const auto pay_and_wait = [&] {
        const auto stored =
            streams.append({"Bill", "a"}, Expected::any(), {Events::record(Paid{1})});
        ASSERT_TRUE(stored);
        const auto done = streams.wait("group", stored->last_position, 10min);
        ASSERT_TRUE(done) << done.error().detail;
    };
    const auto by = [&](const std::string& name) { return streams.read({"By", name})->version; };

    auto active = member(first, "first");
    ASSERT_TRUE(active.catch_up());
    active.start();
    pay_and_wait();
    EXPECT_EQ(by("first"), 1U);
    auto standby = member(second, "second");
    EXPECT_EQ(standby.catch_up().error().code, "LOCK_HELD");
    standby.start();
    pay_and_wait();
    EXPECT_EQ(by("first"), 2U);
    EXPECT_EQ(by("second"), 0U);
    active.stop();
    pay_and_wait();
    EXPECT_EQ(by("first"), 2U);
    EXPECT_EQ(by("second"), 1U);
    standby.stop();
}

/// A member that can no longer renew its lease, such as a frozen process, cannot store a checkpoint
/// after another one has taken over.
TEST(SubscriptionGroups, FenceAMemberThatHasLostItsLease) {
    const std::string storage = sundial::migrated_database();
    Engine first = Engine::open({.storage = storage}).value();
    Engine second = Engine::open({.storage = storage}).value();
    const auto event = [](Engine& engine) {
        return engine.schedule({.type = "GOOD", .at = *engine.now() + 1h}).value();
    };
    const sundial::OutcomeFollowing how{.name = "group", .lease = 100ms};
    std::atomic<int> taken_over = 0;
    auto heir = second.outcomes()
                    .follow(how,
                            [&](const sundial::EventOutcome&) {
                                ++taken_over;
                                return Result<Done>{Done{}};
                            })
                    .value();
    auto frozen = first.outcomes()
                      .project(how,
                               [&](Transaction& tx, const sundial::EventOutcome&) -> Result<Done> {
                                   auto kept = tx.append({"By", "frozen"}, Expected::any(),
                                                         {{.type = "Counted"}});
                                   if (!kept) return kept.error();
                                   std::thread([&] {
                                       while (!heir.catch_up() || taken_over == 0) {
                                       }
                                   }).join();
                                   return Done{};
                               })
                      .value();
    ASSERT_TRUE(first.cancel(event(first).id));
    // On a slow machine a lease can be over before its holder has read the event.
    while (taken_over == 0) (void)frozen.catch_up();
    EXPECT_EQ(first.streams().read({"By", "frozen"})->version, 0U);
    EXPECT_EQ(first.outcomes().lag("group").value(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Embedded, EventStoreOnEach,
                         testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& kind) { return kind.param; });

}  // namespace
