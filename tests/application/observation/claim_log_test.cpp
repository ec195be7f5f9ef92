#include <gmock/gmock.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "application/delivery/delivery_module.hpp"
#include "application/observation/observed_storage.hpp"
#include "contract/settlements.hpp"
#include "support/engine.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Records its calls as short words.
class RecordedClaims final : public ClaimLog {
public:
    void write(std::span<const ClaimStep> steps) override {
        for (const ClaimStep& one : steps) all.push_back(text_of(one));
    }
    std::vector<std::string> all;

private:
    static std::string text_of(const ClaimStep& one) {
        static constexpr std::array ops{"claim",   "send",      "extend", "settle",
                                        "release", "heartbeat", "update"};
        static constexpr std::array answers{"begun", "done", "refused", "unknown"};
        std::string text = ops.at(static_cast<std::size_t>(one.op));
        text += std::string(" ") + answers.at(static_cast<std::size_t>(one.answer));
        if (one.attempt) text += " try " + std::to_string(one.attempt->value);
        if (one.version) text += " version " + std::to_string(one.version->value);
        if (one.previous_lost) text += " rescued";
        return text;
    }
};

/// Loses the answer to the next commit if it is to. It is spread over three machines.
class UnansweredStore final : public Store {
public:
    explicit UnansweredStore(Store& store) : store_{store} {}
    void transact(const std::function<bool(Transaction&)>& work) override {
        store_.transact(work);
        if (std::exchange(loses_answer, false)) throw Unavailable{"connection reset"};
    }
    void read(const std::function<void(Transaction&)>& work) override { store_.read(work); }
    [[nodiscard]] bool open_here() override { return store_.open_here(); }
    [[nodiscard]] std::uint32_t parts() const override { return 3; }

    bool loses_answer = false;

private:
    Store& store_;
};

class LoggedEngine : public Engine {
protected:
    std::unique_ptr<DeliveryModule> a_logged_engine(InstanceId instance) {
        return std::make_unique<DeliveryModule>(DeliveryModule::Ports{.store = logged_store,
                                                                      .queue = logged,
                                                                      .zones = zones,
                                                                      .ids = ids,
                                                                      .random = random,
                                                                      .monotonic = monotonic,
                                                                      .log = log,
                                                                      .observer = sends,
                                                                      .kinds = kinds,
                                                                      .in_process = in_process,
                                                                      .handlers = handlers,
                                                                      .permit = permit},
                                                worker_settings(instance), CircuitPolicy{});
    }
    void drain_logged() { its_engine->loop.take_over().drain(std::nullopt); }
    /// Claims all due events without the claim log.
    std::vector<Event> claimed_unlogged() {
        std::vector<Event> events;
        for (auto& one :
             queue.claim_ready({.by = instance_a, .shares = {9, 9, 9, 9}, .lease = 30s}).events) {
            events.push_back(std::move(one.event));
        }
        return events;
    }
    void change_circuit(const std::function<Circuit(const Circuit&)>& change) {
        write([&](Transaction& tx) {
            tx.circuits().put(change(tx.circuits().lock(event.endpoint.value())));
        });
    }
    /// Moves the event to the instant that it has, which makes another version of it.
    static void touch(Transaction& tx, const Event& one) {
        const Event locked = tx.events().lock(one.id).value();
        tx.events().update(retarget(locked, locked.intent, locked.due, tx.now()).value());
    }

    RecordedClaims claims;
    UnansweredStore unanswered{store};
    PullQueue& pull_queue = store.pull_queue();
    StorageObserver uncounted;
    ObservedStorage logged{{.store = store,
                            .queue = faulty,
                            .pull_queue = pull_queue,
                            .monotonic = monotonic,
                            .observer = uncounted,
                            .log = log,
                            .claims = &claims}};
    LoggedStore logged_store{unanswered, monotonic, claims};
    LoggedSends sends{claims};
    std::unique_ptr<DeliveryModule> its_engine = a_logged_engine(instance_a);
    Event event = a_due_event(an_existing_endpoint(an_endpoint()));
};

TEST_F(LoggedEngine, KeepsEveryStepOfAClaimInOrder) {
    drain_logged();
    EXPECT_THAT(claims.all, ElementsAre("claim done try 1 version 2", "send begun try 1 version 2",
                                        "settle done try 1 version 2"));
}

/// Otherwise one machine that fails would fail the transactions of all others.
TEST_F(LoggedEngine, KeepsThePartsOfItsStore) { EXPECT_EQ(logged_store.parts(), 3U); }

TEST_F(LoggedEngine, RecordsAClaimWithoutAnAnswerAsUncertain) {
    faulty.claim_fault = FaultyQueue::Fault::lost_reply;
    EXPECT_THROW(static_cast<void>(
                     logged.claim_ready({.by = instance_a, .shares = {9, 9, 9, 9}, .lease = 30s})),
                 Unavailable);
    EXPECT_THAT(claims.all, ElementsAre("claim unknown"));
}

TEST_F(LoggedEngine, RecordsALostLease) {
    const auto claimed = claimed_unlogged();
    ASSERT_THAT(claimed, SizeIs(1));
    pass(31s);
    its_engine = a_logged_engine(instance_b);
    drain_logged();
    EXPECT_THAT(claims.all,
                ElementsAre("claim done try 2 version 3 rescued", "send begun try 2 version 3",
                            "settle done try 2 version 3"));

    const Event& first = claimed.front();
    const Held held{first.id, first.version};
    claims.all.clear();
    EXPECT_EQ(logged.extend({&held, 1}, 30s).size(), 1U);
    const ReleasedClaim back{first.id, first.version, first.attempt, instance_a, 0us, "late"};
    EXPECT_FALSE(logged.release_claims({&back, 1}).front().has_value());
    EXPECT_THAT(claims.all,
                ElementsAre("extend refused version 2", "release refused try 1 version 2"));
}

/// The answers that are known say what happened: the holder does not ask for them again.
TEST_F(LoggedEngine, RecordsTheAnswersOfACallThatFailedInPart) {
    a_due_event(an_existing_endpoint());
    a_due_event(an_existing_endpoint());
    const auto held = claimed_unlogged();
    ASSERT_THAT(held, SizeIs(3));
    faulty.settle_fault = FaultyQueue::Fault::lost_part;
    const std::array settlements{accepted(held[0], noon), accepted(held[1], noon)};
    EXPECT_THROW(static_cast<void>(logged.settle(settlements)), PartlyUnavailable);
    EXPECT_THAT(claims.all,
                ElementsAre("settle done try 1 version 2", "settle unknown try 1 version 2"));

    claims.all.clear();
    const auto released = [](const Event& one) {
        return ReleasedClaim{one.id, one.version, one.attempt, instance_a, 0us, "stopping"};
    };
    const std::array back{released(held[0]), released(held[2])};
    faulty.release_fault = FaultyQueue::Fault::lost_part;
    EXPECT_THROW(static_cast<void>(logged.release_claims(back)), PartlyUnavailable);
    EXPECT_THAT(claims.all,
                ElementsAre("release refused try 1 version 2", "release unknown try 1 version 2"));
}

/// Each version of an event has a line that says who made it.
TEST_F(LoggedEngine, RecordsThatAReleasedEventNoLongerWaitsForItsCircuit) {
    change_circuit(
        [](const Circuit& fresh) { return count(fresh, {.failed = 5}, noon, CircuitPolicy{}); });
    faulty.before_release = [&] { change_circuit(closed); };
    drain_logged();
    EXPECT_THAT(claims.all,
                ElementsAre("claim done try 1 version 2", "release done try 1 version 2",
                            "update done version 4", "claim done try 2 version 5",
                            "send begun try 2 version 5", "settle done try 2 version 5"));
}

TEST_F(LoggedEngine, RecordsThatAReleasedEventNoLongerWaitsForItsEndpoint) {
    const auto change_endpoint = [&](bool enabled) {
        write([&](Transaction& tx) {
            Endpoint endpoint = tx.endpoints().lock(event.endpoint.value()).value();
            endpoint.enabled = enabled;
            endpoint.version = base::next(endpoint.version);
            ASSERT_TRUE(tx.endpoints().update(endpoint));
        });
    };
    change_endpoint(false);
    faulty.before_release = [&] {
        faulty.before_release = {};
        change_endpoint(true);
    };
    drain_logged();
    EXPECT_THAT(claims.all,
                ElementsAre("claim done try 1 version 2", "release done try 1 version 2",
                            "update done version 4", "claim done try 2 version 5",
                            "send begun try 2 version 5", "settle done try 2 version 5"));
}

TEST_F(LoggedEngine, RecordsAnUpdateWithoutAnAnswerAsUncertain) {
    unanswered.loses_answer = true;
    EXPECT_THROW(logged_store.transact([&](Transaction& tx) { return touch(tx, event), true; }),
                 Unavailable);
    EXPECT_THAT(claims.all, ElementsAre("update unknown version 2"));
}

TEST_F(LoggedEngine, RecordsNoUpdateThatIsUndone) {
    logged_store.transact([&](Transaction& tx) { return touch(tx, event), false; });
    EXPECT_THROW(logged_store.transact([&](Transaction& tx) -> bool {
        touch(tx, event);
        throw std::runtime_error{"no"};
    }),
                 std::runtime_error);
    EXPECT_THAT(claims.all, IsEmpty());
}

}  // namespace
}  // namespace sundial
