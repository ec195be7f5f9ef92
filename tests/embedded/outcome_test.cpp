#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sundial/outcomes.hpp"
#include "support/migrated_database.hpp"
#include "support/postgres_cluster.hpp"
#include "support/results.hpp"
#include "support/temporary_folder.hpp"

/// Tests subscriptions to outcomes as an embedding program uses them: through the public headers
/// alone.
namespace {

using namespace std::chrono_literals;
using sundial::code_of;
using sundial::Done;
using sundial::Engine;
using sundial::Error;
using sundial::Event;
using sundial::EventOutcome;
using sundial::Handled;
using sundial::Outcomes;
using sundial::Result;
using sundial::Subscription;
using sundial::Transaction;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class OutcomesOnEach : public testing::TestWithParam<std::string> {
protected:
    OutcomesOnEach() {
        if (GetParam() == "sqlite") storage_ = "sqlite:" + folder_.file().string();
        if (GetParam() == "postgres") {
            storage_ = sundial::migrated_database();
        }
    }
    void open(bool test_clock) {
        engine_.reset();
        auto opened = Engine::open({.storage = storage_, .test_clock = test_clock});
        if (!opened) throw std::runtime_error(opened.error().detail);
        engine_.emplace(*std::move(opened));
        engine_->on("GOOD", [](const Event&) { return Handled::done(); });
        engine_->on("BAD", [](const Event&) { return Handled::refuse("no paper"); });
    }
    Engine& engine() {
        if (!engine_) open(true);
        return *engine_;
    }
    Outcomes outcomes() { return engine().outcomes(); }
    /// An event that is due in an hour.
    Event planned(const std::string& type) {
        const auto event = engine().schedule({.type = type, .at = *engine().now() + 1h});
        if (!event) throw std::runtime_error(event.error().detail);
        return *event;
    }
    /// Events of these types come due and are handled, one after the other.
    void pass(const std::vector<std::string>& types) {
        for (const auto& type : types) {
            planned(type);
            ASSERT_TRUE(engine().advance(1h));
        }
    }
    /// Notes the outcomes that it gets.
    Subscription following(sundial::OutcomeFollowing how) {
        auto made = outcomes().follow(std::move(how), [this](const EventOutcome& outcome) {
            seen_.push_back(outcome);
            return Result<Done>{Done{}};
        });
        if (!made) throw std::runtime_error(made.error().detail);
        return *std::move(made);
    }
    std::vector<std::string> statuses() const {
        std::vector<std::string> all;
        for (const EventOutcome& outcome : seen_) all.push_back(outcome.status);
        return all;
    }
    [[nodiscard]] bool has_sql() const { return GetParam() != "memory"; }

    std::vector<EventOutcome> seen_;
    std::string storage_ = "memory:";

private:
    sundial::TemporaryFolder folder_;
    std::optional<Engine> engine_;
};

TEST_P(OutcomesOnEach, TellHowEachEventEnded) {
    auto all = following({.name = "all"});
    pass({"GOOD", "BAD"});
    const Event dropped = planned("GOOD");
    ASSERT_TRUE(engine().cancel(dropped.id));
    EXPECT_EQ(outcomes().lag("all").value_or(0), 3U);
    ASSERT_TRUE(all.catch_up());
    ASSERT_THAT(statuses(), ElementsAre("COMPLETED", "FAILED", "CANCELLED"));
    EXPECT_EQ(outcomes().lag("all").value_or(9), 0U);

    EXPECT_EQ(seen_[0].event_type, "GOOD");
    EXPECT_EQ(seen_[0].attempt, 1U);
    EXPECT_EQ(seen_[0].error_code, "");
    EXPECT_GE(seen_[0].lateness.value_or(-1us), 0us);
    EXPECT_GE(seen_[0].first_attempt.value_or(sundial::Instant{}), seen_[0].due);
    EXPECT_GE(seen_[0].finished, seen_[0].due);
    EXPECT_EQ(seen_[1].error_code, "WORKER");
    EXPECT_EQ(seen_[1].reason, "WORKER no paper");
    EXPECT_GT(seen_[1].finished, seen_[0].finished);
    EXPECT_EQ(seen_[2].event_id, dropped.id);
    EXPECT_EQ(seen_[2].idempotency_key, dropped.idempotency_key);
    EXPECT_EQ(seen_[2].attempt, 0U);
    EXPECT_EQ(seen_[2].error_code, "");
    EXPECT_NE(seen_[2].reason, "");
    EXPECT_FALSE(seen_[2].first_attempt);
    EXPECT_FALSE(seen_[2].lateness);
    EXPECT_LT(seen_[0].number, seen_[1].number);
    EXPECT_LT(seen_[1].number, seen_[2].number);
}

TEST_P(OutcomesOnEach, BeginWithTheFirstSubscriptionAndContinueWhereItStopped) {
    pass({"GOOD"});  // before
    following({.name = "all"});
    pass({"BAD"});  // while no subscription exists
    auto all = following({.name = "all"});
    ASSERT_TRUE(all.catch_up());
    EXPECT_THAT(statuses(), ElementsAre("FAILED"));
    ASSERT_TRUE(all.catch_up());
    EXPECT_THAT(seen_, SizeIs(1));
    pass({"GOOD"});
    ASSERT_TRUE(following({.name = "all"}).catch_up());
    EXPECT_THAT(statuses(), ElementsAre("FAILED", "COMPLETED"));
}

TEST_P(OutcomesOnEach, SurviveARestart) {
    if (!has_sql()) GTEST_SKIP() << "memory ends with the process";
    {
        auto all = following({.name = "all"});
    }
    pass({"GOOD"});
    open(true);
    auto all = following({.name = "all"});
    ASSERT_TRUE(all.catch_up());
    EXPECT_THAT(statuses(), ElementsAre("COMPLETED"));
}

TEST_P(OutcomesOnEach, AreFilteredByTypeForEachName) {
    auto bad = following({.name = "bad", .event_types = {"BAD", "WORSE"}});
    auto none = following({.name = "none", .event_types = {"WORSE"}});
    pass({"GOOD", "BAD", "GOOD"});
    EXPECT_EQ(outcomes().lag("bad").value_or(0), 1U);
    EXPECT_EQ(outcomes().lag("none").value_or(9), 0U);
    ASSERT_TRUE(bad.catch_up());
    EXPECT_THAT(statuses(), ElementsAre("FAILED"));
    auto good = following({.name = "bad", .event_types = {"GOOD"}});  // other types from now on
    pass({"GOOD", "BAD"});
    ASSERT_TRUE(good.catch_up());
    EXPECT_THAT(statuses(), ElementsAre("FAILED", "COMPLETED"));
}

TEST_P(OutcomesOnEach, AreRepeatedAfterAFailureOrSetAside) {
    const auto follow = [&](std::string name, bool park, auto handle) {
        sundial::OutcomeFollowing how{.name = std::move(name)};
        how.retry = {.max_attempts = 2, .base = 1ms};
        how.park = park;
        auto made = outcomes().follow(std::move(how), handle);
        if (!made) throw std::runtime_error(made.error().detail);
        return *std::move(made);
    };
    int calls = 0;
    const auto refuse_bad = [&](const EventOutcome& outcome) -> Result<Done> {
        ++calls;
        if (outcome.status == "FAILED") return Error{"NO", "not this one"};
        return Done{};
    };
    auto strict = follow("strict", false, refuse_bad);
    auto lenient = follow("lenient", true, refuse_bad);
    pass({"GOOD", "BAD", "GOOD"});

    EXPECT_EQ(strict.catch_up().error().code, "STOPPED");
    EXPECT_THAT(strict.stopped().value_or(""), HasSubstr("not this one"));
    EXPECT_EQ(calls, 1 + 2);
    EXPECT_EQ(outcomes().lag("strict").value_or(0), 2U);  // the first one is handled
    ASSERT_TRUE(following({.name = "strict"}).catch_up());
    EXPECT_THAT(statuses(), ElementsAre("FAILED", "COMPLETED"));

    ASSERT_TRUE(lenient.catch_up());
    const auto parked = outcomes().parked("lenient");
    ASSERT_TRUE(parked);
    ASSERT_THAT(*parked, SizeIs(1));
    EXPECT_EQ((*parked)[0].event_id, seen_[0].event_id);
    EXPECT_EQ((*parked)[0].reason, "NO: not this one");
    EXPECT_EQ((*parked)[0].attempts, 2U);
    EXPECT_TRUE(outcomes().unpark("lenient", (*parked)[0].position).value_or(false));
    EXPECT_THAT(*outcomes().parked("lenient"), IsEmpty());
}

TEST_P(OutcomesOnEach, AreProjectedOnceTogetherWithRowsOfTheProgram) {
    bool fails = true;
    sundial::OutcomeFollowing how{.name = "totals"};
    how.retry = {.max_attempts = 1};
    const auto project = [&](Transaction& tx, const EventOutcome& outcome) -> Result<Done> {
        auto kept =
            tx.append({"Totals", "all"}, sundial::Expected::any(), {{.type = outcome.status}});
        if (!kept) return kept.error();
        if (fails && outcome.status == "FAILED") return Error{"NO", "later"};
        return Done{};
    };
    auto totals = outcomes().project(how, project);
    ASSERT_TRUE(totals) << totals.error().detail;
    pass({"GOOD", "BAD"});
    EXPECT_FALSE(totals->catch_up());
    const auto recorded = [&] {
        std::vector<std::string> types;
        const auto part = engine().streams().read({"Totals", "all"});
        if (part) {
            for (const auto& event : part->events) types.push_back(event.type);
        }
        return types;
    };
    EXPECT_THAT(recorded(), ElementsAre("COMPLETED"));  // the failed one is rolled back
    fails = false;
    auto again = outcomes().project(how, project);
    ASSERT_TRUE(again);
    ASSERT_TRUE(again->catch_up());
    EXPECT_THAT(recorded(), ElementsAre("COMPLETED", "FAILED"));
}

TEST_P(OutcomesOnEach, HaveOneActiveSubscriptionOfAName) {
    pass({"GOOD"});
    auto second = following({.name = "all"});
    std::string code;
    auto first = outcomes().follow({.name = "all"}, [&](const EventOutcome&) -> Result<Done> {
        code = code_of(second.catch_up());
        return Done{};
    });
    ASSERT_TRUE(first);
    pass({"GOOD"});
    ASSERT_TRUE(first->catch_up());
    EXPECT_EQ(code, "LOCK_HELD");
    EXPECT_THAT(seen_, IsEmpty());
    EXPECT_TRUE(second.catch_up());  // the first one has released it
}

TEST_P(OutcomesOnEach, ComeAsTheyHappenUntilStopped) {
    open(false);
    std::promise<std::string> reported;
    auto made = outcomes().follow({.name = "live"}, [&](const EventOutcome& outcome) {
        reported.set_value(outcome.event_id);
        return Result<Done>{Done{}};
    });
    ASSERT_TRUE(made);
    made->start();
    engine().start();
    const auto event = engine().schedule({.type = "GOOD", .at = *engine().now()});
    ASSERT_TRUE(event);
    EXPECT_EQ(reported.get_future().get(), event->id);
    made->stop();
    EXPECT_FALSE(made->stopped());
    EXPECT_EQ(outcomes().lag("live").value_or(9), 0U);
}

TEST_P(OutcomesOnEach, LeaveOutErasedEvents) {
    const auto user = engine().create_user({"Ada", "Li", "1992-06-15", "Asia/Tokyo"});
    ASSERT_TRUE(user);
    auto all = following({.name = "all"});
    const auto event =
        engine().schedule({.type = "GOOD", .at = *engine().now(), .user_id = user->id});
    ASSERT_TRUE(event);
    ASSERT_TRUE(engine().advance(1s));
    pass({"BAD"});
    ASSERT_TRUE(engine().delete_user(user->id));
    ASSERT_TRUE(all.catch_up());
    ASSERT_THAT(seen_, SizeIs(1));
    EXPECT_EQ(seen_[0].event_type, "BAD");
    EXPECT_EQ(outcomes().lag("all").value_or(9), 0U);
}

TEST_P(OutcomesOnEach, EndWithForget) {
    auto all = following({.name = "all"});
    pass({"GOOD", "GOOD"});
    EXPECT_TRUE(outcomes().forget("all").value_or(false));
    EXPECT_FALSE(outcomes().forget("all").value_or(true));
    pass({"GOOD"});
    EXPECT_EQ(outcomes().lag("all").value_or(9), 0U);
    ASSERT_TRUE(all.catch_up());
    EXPECT_THAT(seen_, IsEmpty());
}

/// The transaction that finishes an event may be open while its follower is forgotten.
TEST_P(OutcomesOnEach, LeaveNothingOfAForgottenFollower) {
    if (GetParam() != "postgres") GTEST_SKIP() << "elsewhere one transaction writes at a time";
    using sundial::query;
    auto all = following({.name = "all"});
    ASSERT_TRUE(engine().create_queue("printers"));
    ASSERT_TRUE(engine().schedule({.type = "PRINT", .at = *engine().now(), .queue = "printers"}));
    const auto claimed = engine().worker("printers", "printer-1").claim();
    ASSERT_TRUE(claimed);
    std::future<bool> forgotten;
    const auto waits = [&] {
        return query(storage_,
                     "SELECT count(*) FROM pg_stat_activity WHERE datname = "
                     "current_database() AND wait_event_type = 'Lock'")[0][0] != "0";
    };
    const auto completed = engine().transact([&](Transaction& tx) {
        const auto done = tx.complete(claimed->at(0));
        forgotten = std::async(std::launch::async,
                               [&] { return outcomes().forget("all").value_or(false); });
        while (forgotten.wait_for(5ms) == std::future_status::timeout && !waits()) {
        }
        return done;
    });
    ASSERT_TRUE(completed) << completed.error().detail;
    EXPECT_TRUE(forgotten.get());
    EXPECT_EQ(query(storage_, "SELECT count(*) FROM sundial.outcome_queue")[0][0], "0");
}

TEST_P(OutcomesOnEach, HaveNamesAndTypes) {
    const auto ignore = [](const EventOutcome&) { return Result<Done>{Done{}}; };
    EXPECT_EQ(code_of(outcomes().follow({.name = ""}, ignore)), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(outcomes().follow({.name = "a:b"}, ignore)), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(outcomes().follow({.name = "a", .event_types = {""}}, ignore)),
              "VALIDATION_FAILED");
    EXPECT_EQ(code_of(outcomes().lag("a b")), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(outcomes().forget("")), "VALIDATION_FAILED");
    sundial::OutcomeFollowing useless{.name = "a"};
    useless.page = 0;
    auto made = outcomes().follow(useless, ignore);
    ASSERT_TRUE(made);
    EXPECT_EQ(code_of(made->catch_up()), "STOPPED");
    EXPECT_THAT(made->stopped().value_or(""), HasSubstr("page"));
}

TEST_P(OutcomesOnEach, AreNoFollowersOfTheFeed) {
    auto all = following({.name = "all"});
    pass({"GOOD"});
    ASSERT_TRUE(all.catch_up());
    const auto checkpoint = engine().streams().checkpoint("all");
    ASSERT_TRUE(checkpoint);
    EXPECT_EQ(checkpoint->position, 0U);
}

INSTANTIATE_TEST_SUITE_P(Embedded, OutcomesOnEach, testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& kind) { return kind.param; });

}  // namespace
