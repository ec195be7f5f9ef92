#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "application/observation/observed_storage.hpp"
#include "support/engine.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using Op = ClaimStep::Op;
using Answer = ClaimStep::Answer;

/// Records its calls as short words.
class RecordedClaims final : public ClaimLog {
public:
    void write(std::span<const ClaimStep> steps) override {
        for (const ClaimStep& one : steps) all.push_back(text_of(one));
    }
    std::vector<std::string> all;

private:
    static std::string text_of(const ClaimStep& one) {
        static constexpr std::array ops{"claim", "send", "extend", "settle", "release"};
        static constexpr std::array answers{"begun", "done", "refused", "unknown"};
        std::string text = ops.at(static_cast<std::size_t>(one.op));
        text += std::string(" ") + answers.at(static_cast<std::size_t>(one.answer));
        if (one.attempt) text += " try " + std::to_string(one.attempt->value);
        if (one.version) text += " version " + std::to_string(one.version->value);
        if (one.previous_lost) text += " rescued";
        return text;
    }
};

class LoggedEngine : public Engine {
protected:
    std::unique_ptr<WorkerLoop> a_logged_loop(InstanceId instance) {
        return std::make_unique<WorkerLoop>(
            worker_settings(instance), WorkerPorts{logged, plan, deliver, admit, judge, monotonic,
                                                   random, log, sends, permit});
    }

    RecordedClaims claims;
    PullQueue& pull_queue = store.pull_queue();
    StorageObserver uncounted;
    ObservedStorage logged{{.store = store,
                            .queue = faulty,
                            .pull_queue = pull_queue,
                            .monotonic = monotonic,
                            .observer = uncounted,
                            .log = log,
                            .claims = &claims}};
    LoggedSends sends{claims};
    std::unique_ptr<WorkerLoop> its_loop = a_logged_loop(instance_a);
    Event event = a_due_event(an_existing_endpoint(an_endpoint()));
};

TEST_F(LoggedEngine, KeepsEveryStepOfAClaimInOrder) {
    its_loop->take_over().drain(std::nullopt);
    EXPECT_THAT(claims.all, ElementsAre("claim done try 1 version 2", "send begun try 1 version 2",
                                        "settle done try 1 version 2"));
}

TEST_F(LoggedEngine, RecordsAClaimWithoutAnAnswerAsUncertain) {
    faulty.claim_fault = FaultyQueue::Fault::lost_reply;
    EXPECT_THROW(static_cast<void>(
                     logged.claim_ready({.by = instance_a, .shares = {9, 9, 9, 9}, .lease = 30s})),
                 Unavailable);
    EXPECT_THAT(claims.all, ElementsAre("claim unknown"));
}

TEST_F(LoggedEngine, RecordsALostLease) {
    const auto claimed =
        queue.claim_ready({.by = instance_a, .shares = {9, 9, 9, 9}, .lease = 30s}).events;
    ASSERT_EQ(claimed.size(), 1U);
    pass(31s);
    its_loop = a_logged_loop(instance_b);
    its_loop->take_over().drain(std::nullopt);
    EXPECT_THAT(claims.all,
                ElementsAre("claim done try 2 version 3 rescued", "send begun try 2 version 3",
                            "settle done try 2 version 3"));

    const Event& first = claimed.front().event;
    const Held held{first.id, first.version};
    claims.all.clear();
    EXPECT_EQ(logged.extend({&held, 1}, 30s).size(), 1U);
    const ReleasedClaim back{first.id, first.version, first.attempt, instance_a, 0us, "late"};
    EXPECT_FALSE(logged.release_claims({&back, 1}).front().has_value());
    EXPECT_THAT(claims.all,
                ElementsAre("extend refused version 2", "release refused try 1 version 2"));
}

}  // namespace
}  // namespace sundial
