#include "application/streams/subscription.hpp"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>

#include "adapters/memory/store.hpp"
#include "application/ports/failures.hpp"
#include "application/streams/append_to_stream.hpp"
#include "support/builders.hpp"
#include "support/fake_digest.hpp"
#include "support/manual_timing.hpp"
#include "support/mortal_store.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using State = Subscription::State;
using Entry = FeedPage::Entry;

const StreamId view{"View", "1"};

class SubscriptionTest : public testing::Test {
protected:
    /// Appends one event to `stream`, with that payload.
    void append(const std::string& stream, const std::string& data = "1") {
        const auto appended = append_.run(
            {.stream = {"Order", stream},
             .events = {
                 {.event_id = uuid_of(next_number()), .event_type = "OrderPlaced", .data = data}}});
        ASSERT_TRUE(appended);
        positions_.push_back(appended->first_position);
    }
    void append_many(int count) {
        for (int i = 0; i < count; ++i) append("o-" + std::to_string(i % 3), std::to_string(i));
    }
    static Subscription::Settings settings(std::string holder = "a") {
        Subscription::Settings settings{.name = "orders", .holder = std::move(holder)};
        settings.filter = {.aggregate_types = {"Order"}};
        settings.retry = {.max_attempts = 3, .base = 10ms, .jitter = Jitter::none};
        return settings;
    }
    /// Adds each event's payload to the view, in the given transaction.
    Subscription::Project project() {
        return [this](Transaction& tx, const Entry& entry) -> HandlingFailure {
            if (entry.event.data == broken_) return "no such thing";
            const auto appended = append_.run(tx, {.stream = view,
                                                   .events = {{.event_id = uuid_of(next_number()),
                                                               .event_type = "Seen",
                                                               .data = entry.event.data}}});
            EXPECT_TRUE(appended);
            return std::nullopt;
        };
    }
    /// Records each payload outside the store.
    Subscription::Handle handle() {
        return [this](const Entry& entry) -> HandlingFailure {
            if (entry.event.data == broken_) throw std::runtime_error("no such thing");
            const std::lock_guard lock(mutex_);
            seen_.push_back(entry.event.data);
            return std::nullopt;
        };
    }
    template <class Function>
    Subscription follow(Function function, Subscription::Settings with = settings()) {
        return {store_, feed_, timing_, std::move(with), std::move(function)};
    }
    /// Takes turns until no work remains.
    static State turn_all(Subscription& subscription) {
        State state = State::moved;
        while (state == State::moved) state = subscription.turn();
        return state;
    }
    std::vector<std::string> viewed() {
        std::vector<std::string> all;
        for (const auto& event :
             in_read(store_, [](Transaction& tx) { return tx.streams().read(view, {}); })) {
            all.push_back(event.data);
        }
        return all;
    }
    std::uint64_t at() { return KeepCheckpoint{store_}.find("orders")->position; }
    std::vector<ParkedEvent> parked() {
        return in_read(store_,
                       [](Transaction& tx) { return tx.checkpoints().parked("orders", 0, 9); });
    }

    memory::ManualClock clock_{noon};
    memory::MemoryStore store_{clock_};
    Feed& feed_ = store_.feed();
    FakeDigest digest_;
    AppendToStream append_{store_, digest_};
    ManualTiming timing_;
    std::vector<std::uint64_t> positions_;  // of all appended events
    std::string broken_ = "none";           // the payload that cannot be handled
    std::mutex mutex_;
    std::vector<std::string> seen_;
};

TEST_F(SubscriptionTest, HandlesEachEventInOrderAndStoresItsPosition) {
    append_many(5);
    auto first = follow(project());
    EXPECT_EQ(turn_all(first), State::caught_up);
    EXPECT_THAT(viewed(), ElementsAre("0", "1", "2", "3", "4"));
    append("o-1", "5");
    auto again = follow(project());  // as after a restart with the same holder
    EXPECT_EQ(turn_all(again), State::caught_up);
    EXPECT_THAT(viewed(), ElementsAre("0", "1", "2", "3", "4", "5"));
    EXPECT_GE(at(), positions_.back());
}

TEST_F(SubscriptionTest, AdvancesPastFilteredEvents) {
    auto with = settings();
    with.filter = {.event_types = {"Nothing"}};
    append_many(3);
    auto subscription = follow(handle(), with);
    EXPECT_EQ(turn_all(subscription), State::caught_up);
    EXPECT_THAT(seen_, IsEmpty());
    EXPECT_EQ(at(), positions_.back());
}

TEST_F(SubscriptionTest, RetriesOnlyTheFailedEvent) {
    append_many(4);
    int tries = 0;
    auto subscription =
        follow(Subscription::Project{[&](Transaction& tx, const Entry& entry) -> HandlingFailure {
            if (entry.event.data == "2" && ++tries < 3) return "not yet";
            return project()(tx, entry);
        }});
    EXPECT_EQ(turn_all(subscription), State::caught_up);
    EXPECT_THAT(viewed(), ElementsAre("0", "1", "2", "3"));
    EXPECT_EQ(tries, 3);
    EXPECT_THAT(timing_.sleeps, SizeIs(1));  // the first failure concerned the whole page
}

TEST_F(SubscriptionTest, StopsAtAnEventThatCannotBeHandled) {
    append_many(4);
    broken_ = "2";
    for (const bool projects : {true, false}) {
        timing_.sleeps.clear();
        auto with = settings("a");
        with.name = projects ? "orders" : "others";
        Subscription subscription = projects ? follow(project(), with) : follow(handle(), with);
        EXPECT_EQ(turn_all(subscription), State::stopped);
        EXPECT_THAT(subscription.why().value_or(""), HasSubstr("in 3 tries: no such thing"));
        EXPECT_THAT(timing_.sleeps, ElementsAre(10ms, 20ms));
        EXPECT_EQ(KeepCheckpoint{store_}.find(with.name)->position, positions_[1]);
        EXPECT_EQ(subscription.turn(), State::stopped);
    }
    EXPECT_THAT(viewed(), ElementsAre("0", "1"));
    EXPECT_THAT(seen_, ElementsAre("0", "1"));
}

TEST_F(SubscriptionTest, ParksAnEventThatCannotBeHandledAndContinues) {
    append_many(4);
    broken_ = "1";
    auto with = settings();
    with.park = true;
    auto subscription = follow(handle(), with);
    EXPECT_EQ(turn_all(subscription), State::caught_up);
    EXPECT_THAT(seen_, ElementsAre("0", "2", "3"));
    ASSERT_THAT(parked(), SizeIs(1));
    EXPECT_EQ(parked()[0].position, positions_[1]);
    EXPECT_EQ(parked()[0].reason, "no such thing");
    EXPECT_EQ(parked()[0].attempts, 3U);
    EXPECT_EQ(parked()[0].parked_at, noon);
}

TEST_F(SubscriptionTest, ParksAnEventThatCannotBeProjected) {
    append_many(3);
    broken_ = "1";
    auto with = settings();
    with.park = true;
    auto subscription = follow(project(), with);
    EXPECT_EQ(turn_all(subscription), State::caught_up);
    EXPECT_THAT(viewed(), ElementsAre("0", "2"));
    EXPECT_THAT(parked(), SizeIs(1));
}

TEST_F(SubscriptionTest, StoresAnyReasonAsValidText) {
    append_many(1);
    auto with = settings();
    with.park = true;
    auto subscription = follow(Subscription::Handle{[](const Entry&) -> HandlingFailure {
                                   return "no\n\xff" + std::string(100'000, 'x');
                               }},
                               with);
    EXPECT_EQ(turn_all(subscription), State::caught_up);
    ASSERT_THAT(parked(), SizeIs(1));
    EXPECT_EQ(parked()[0].reason, "no \uFFFD" + std::string(996, 'x'));
}

TEST_F(SubscriptionTest, UnavailableStorageIsNotAFailureOfTheHandler) {
    append_many(2);
    bool away = true;
    auto subscription =
        follow(Subscription::Project{[&](Transaction& tx, const Entry& entry) -> HandlingFailure {
            if (away) throw Unavailable{"connection reset"};
            return project()(tx, entry);
        }});
    EXPECT_THROW(subscription.turn(), Unavailable);
    EXPECT_THAT(timing_.sleeps, IsEmpty());
    away = false;
    EXPECT_EQ(turn_all(subscription), State::caught_up);
    EXPECT_THAT(viewed(), ElementsAre("0", "1"));
}

TEST_F(SubscriptionTest, OnlyOneSubscriberRunsUntilItsLeaseExpires) {
    append_many(2);
    auto first = follow(project(), settings("a")), second = follow(project(), settings("b"));
    EXPECT_EQ(turn_all(first), State::caught_up);
    append("o-1", "2");
    EXPECT_EQ(second.turn(), State::elsewhere);
    static_cast<void>(clock_.set(noon + 30s));
    EXPECT_EQ(turn_all(second), State::caught_up);
    EXPECT_THAT(viewed(), ElementsAre("0", "1", "2"));
}

TEST_F(SubscriptionTest, ES39_ASubscriberWithAnExpiredLeaseAdvancesNothing) {
    append_many(4);
    auto second = follow(project(), settings("b"));
    // Reads its page, and then sleeps until its lease has expired.
    class PausedFeed final : public Feed {
    public:
        PausedFeed(Feed& feed, std::function<void()> pause)
            : feed_(feed), pause_(std::move(pause)) {}
        FeedPage read_all(std::uint64_t after, const FeedFilter& filter,
                          std::size_t limit) override {
            auto page = feed_.read_all(after, filter, limit);
            if (limit > 1) pause_();
            return page;
        }

    private:
        Feed& feed_;
        std::function<void()> pause_;
    };
    PausedFeed pausing{feed_, [&] {
                           static_cast<void>(clock_.set(clock_.now() + 31s));
                           EXPECT_EQ(turn_all(second), State::caught_up);
                       }};
    Subscription sleeper{store_, pausing, timing_, settings("a"), project()};
    const std::uint64_t before = at();
    EXPECT_EQ(sleeper.turn(), State::elsewhere);
    EXPECT_GT(at(), before);
    EXPECT_THAT(viewed(), ElementsAre("0", "1", "2", "3"));
}

TEST_F(SubscriptionTest, ES40_RefusesAFeedWithAnotherHistory) {
    append_many(3);
    store_.transact([&](Transaction& tx) {
        Checkpoint checkpoint = tx.checkpoints().lock("orders");
        checkpoint.position = positions_[0];
        checkpoint.event_id = uuid_of(next_number());
        tx.checkpoints().put("orders", checkpoint);
        return true;
    });
    auto subscription = follow(project());
    EXPECT_EQ(turn_all(subscription), State::stopped);
    EXPECT_THAT(subscription.why().value_or(""), HasSubstr("different histories"));
    EXPECT_THAT(viewed(), IsEmpty());
}

TEST_F(SubscriptionTest, LanesKeepTheOrderOfEachStream) {
    for (int i = 0; i < 60; ++i) append("o-" + std::to_string(i % 7), std::to_string(i));
    auto with = settings();
    with.lanes = 4;
    std::map<std::string, std::vector<std::uint64_t>> versions;
    auto subscription =
        follow(Subscription::Handle{[&](const Entry& entry) -> HandlingFailure {
                   const std::lock_guard lock(mutex_);
                   versions[entry.event.stream.aggregate_id].push_back(entry.event.version.value);
                   return std::nullopt;
               }},
               with);
    EXPECT_EQ(turn_all(subscription), State::caught_up);
    ASSERT_THAT(versions, SizeIs(7));
    for (const auto& [stream, of_stream] : versions) {
        EXPECT_TRUE(std::ranges::is_sorted(of_stream));
        EXPECT_GE(of_stream.size(), 8U);
    }
}

TEST_F(SubscriptionTest, AStuckLaneHoldsTheCheckpointButNotOtherLanes) {
    auto with = settings();
    with.lanes = 8;
    for (int i = 0; i < 6; ++i) append("o-" + std::to_string(i), std::to_string(i));
    broken_ = "0";
    auto subscription = follow(handle(), with);
    EXPECT_EQ(turn_all(subscription), State::stopped);
    EXPECT_EQ(at(), 0U);
}

/// Kills a follower at a random step, a thousand times, each time before another one continues.
class KilledOften : public SubscriptionTest {
protected:
    template <class Function>
    void die_a_thousand_times(Function function) {
        std::mt19937_64 random{20'261'122};
        for (int kill = 0; kill < 1000; ++kill) {
            append_many(1 + static_cast<int>(random() % 3));
            auto with = settings("holder-" + std::to_string(kill));
            with.page = 1 + random() % 4;
            Subscription subscription{mortal_, feed_, timing_, with, function};
            death_.in_steps(1 + random() % 25);
            try {
                turn_all(subscription);
                ++survived_;
            } catch (const Killed&) {
                ++killed_;
            }
            death_.in_steps(0);
            static_cast<void>(clock_.set(clock_.now() + 31s));
        }
        Subscription last{mortal_, feed_, timing_, settings("last"), function};
        EXPECT_EQ(turn_all(last), State::caught_up);
        EXPECT_GT(killed_, 500);  // it does die, but not always
        EXPECT_GT(survived_, 10);
    }

    Death death_;
    MortalStore mortal_{store_, death_};
    int killed_ = 0, survived_ = 0;
};

TEST_F(KilledOften, ES38_WithTheCheckpointInItsTransactionEachEventCountsOnce) {
    die_a_thousand_times(
        Subscription::Project{[this](Transaction& tx, const Entry& entry) -> HandlingFailure {
            death_.step();
            auto failure = project()(tx, entry);
            death_.step();
            return failure;
        }});
    std::vector<RecordedEvent> counted;
    for (std::uint64_t from = 1;; from += 500) {
        const auto some = in_read(store_, [&](Transaction& tx) {
            return tx.streams().read(view, {.from = from, .limit = 500});
        });
        if (some.empty()) break;
        counted.insert(counted.end(), some.begin(), some.end());
    }
    EXPECT_EQ(counted.size(), positions_.size());
}

TEST_F(KilledOften, ES38_NoEventIsSkippedIfTheEffectIsExternal) {
    std::vector<std::uint64_t> handled;
    die_a_thousand_times(Subscription::Handle{[&](const Entry& entry) -> HandlingFailure {
        death_.step();
        handled.push_back(entry.event.position);
        death_.step();
        return std::nullopt;
    }});
    const std::set<std::uint64_t> distinct(handled.begin(), handled.end());
    EXPECT_EQ(distinct, std::set<std::uint64_t>(positions_.begin(), positions_.end()));
    EXPECT_GT(handled.size(), distinct.size());  // some twice, as at-least-once delivery allows
}

}  // namespace
}  // namespace sundial
