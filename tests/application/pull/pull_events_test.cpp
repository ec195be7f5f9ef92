#include "application/pull/pull_events.hpp"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "application/events/explain_event.hpp"
#include "support/pull_workers.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class PullEventsTest : public PullWorkers {
protected:
    /// Creates a schedule for the pull endpoint, without a user.
    Schedule made(ScheduleFields requested) {
        requested.event_type = "JOB";
        requested.endpoint = to_string(endpoint.id);
        requested.timezone = "UTC";
        const auto created = create_schedule.run(requested, "req-1");
        EXPECT_TRUE(created) << testing::PrintToString(defects_of(created));
        return created.value().schedule;
    }
    Schedule hourly(ScheduleFields requested = {}) {
        requested.trigger = TriggerFields{.cron = "0 * * * *"};
        return made(std::move(requested));
    }
    using PullWorkers::events_of;
    std::vector<Event> events_of(const Schedule& schedule, std::vector<EventStatus> statuses) {
        EventQuery query;
        query.schedule = schedule.id;
        query.statuses = std::move(statuses);
        return queries.events(query).items;
    }
};

TEST_F(PullEventsTest, ReturnsDueEventsWithTheirVersions) {
    const Event event = a_due_event();
    const auto work = pull.run(order("w-1"));

    ASSERT_TRUE(work);
    EXPECT_EQ(work->endpoint, endpoint.id);
    EXPECT_THAT(work->events,
                ElementsAre(claim(event, Claimant{instance_b, "w-1"}, noon, 30s).value()));
    EXPECT_EQ(work->events[0].payload, event.payload);
    EXPECT_EQ(find(event), work->events[0]);
    EXPECT_THAT(pulled("w-2"), IsEmpty());
}

TEST_F(PullEventsTest, TakesAnEndpointByItsExternalId) {
    a_due_event();
    WorkOrder requested = order();
    requested.endpoint = "ext:workers";
    EXPECT_THAT(pull.run(requested)->events, SizeIs(1));
}

TEST_F(PullEventsTest, LeavesEventsToPullWorkers) {
    a_due_event();
    EXPECT_EQ(drain(), TickCounters{});
    EXPECT_THAT(pulled(), SizeIs(1));
}

TEST_F(PullEventsTest, RefusesInvalidOrders) {
    WorkOrder requested = order("");
    requested.limit = 0;
    requested.lease = 500ms;
    EXPECT_THAT(defects_of(pull.run(requested)),
                testing::UnorderedElementsAre("/worker required", "/limit out_of_range",
                                              "/lease out_of_range"));
    requested = order(std::string(101, 'w'));
    requested.limit = 101;
    requested.lease = 12h + 1s;
    EXPECT_THAT(defects_of(pull.run(requested)), SizeIs(3));

    requested = order();
    requested.endpoint = "ext:nobody";
    EXPECT_TRUE(fails_with<NotFound>(pull.run(requested)));
    requested.endpoint = to_string(an_existing_endpoint().id);
    EXPECT_THAT(defects_of(pull.run(requested)), ElementsAre(" not_allowed"));
}

TEST_F(PullEventsTest, RefusesADisabledEndpoint) {
    a_due_event();
    change_endpoint([](Endpoint& changed) {
        changed.enabled = false;
        changed.disabled_reason = "holidays";
    });
    EXPECT_EQ(error_of<EndpointDisabled>(pull.run(order())).reason, "holidays");
}

TEST_F(PullEventsTest, ReturnsTheMostUrgentFirstUpToTheLimit) {
    const auto due = [&](Priority priority, const char* when) {
        NewEvent requested = a_reminder();
        requested.target.utc = when;
        requested.endpoint = to_string(endpoint.id);
        requested.priority = priority;
        return scheduled(requested).id;
    };
    const auto low = due(Priority::low, "now-3h");
    const auto late = due(Priority::normal, "now-2h");
    const auto early = due(Priority::normal, "now-1h");
    const auto critical = due(Priority::critical, "now");
    std::vector<EventId> given;
    for (const Event& event : pulled("w-1", 4)) given.push_back(event.id);
    EXPECT_THAT(given, ElementsAre(critical, late, early, low));
    due(Priority::low, "now");
    due(Priority::low, "now");
    EXPECT_THAT(pulled("w-1", 1), SizeIs(1));
    EXPECT_THAT(pulled("w-1", 9), SizeIs(1));
}

/// Fills a claim as far as possible, whatever the priorities of the due events.
RC_GTEST_FIXTURE_PROP(PullEventsTest, FillsAnOrder, ()) {
    const auto counts = *rc::gen::container<std::vector<int>>(4, rc::gen::inRange(0, 6));
    const auto limit = *rc::gen::inRange<std::size_t>(1, 20);
    random.value = *rc::gen::element(0.0, 0.3, 0.7, 0.999);
    std::size_t all = 0;
    for (std::size_t p = 0; p < counts.size(); ++p) {
        for (int i = 0; i < counts[p]; ++i, ++all) {
            NewEvent requested = a_reminder();
            requested.target.utc = "now";
            requested.endpoint = to_string(endpoint.id);
            requested.priority = static_cast<Priority>(p);
            scheduled(requested);
        }
    }
    RC_ASSERT(pulled("w-1", limit).size() == std::min(limit, all));
    pulled("w-1", 100);
}

TEST_F(PullEventsTest, FollowsAnEventThatIsGivenToAnotherEndpoint) {
    const Endpoint webhooks = an_existing_endpoint();
    const Event event = Engine::a_due_event(webhooks);
    const auto move_to = [&](const Endpoint& destination) {
        EventEdit edit;
        edit.endpoint = std::optional{to_string(destination.id)};
        return edit_event.run(to_string(event.id), edit, std::nullopt, "req-1");
    };
    ASSERT_TRUE(move_to(endpoint));
    EXPECT_EQ(drain(), TickCounters{});
    const Event held = pulled_one();
    EXPECT_TRUE(fails_with<InvalidStateTransition>(move_to(webhooks)));
    ASSERT_TRUE(released_by(held));
}

TEST_F(PullEventsTest, ReturnsEventsThatWaitedForAnEndpoint) {
    const User user = created(ada());
    pass(24h);
    drain();  // the birthday has no endpoint, so instances leave it alone
    const Event waits = events_of(user, {EventStatus::pending}).at(0);
    edited_birthday({.endpoint = to_string(endpoint.id)});
    const Event held = pulled_one();
    EXPECT_EQ(held.id, waits.id);
    EXPECT_EQ(held.retry_count, 0U);
    EXPECT_TRUE(completed_by(held));
}

// Chains.

TEST_F(PullEventsTest, PlansTheSuccessorBeforeAnEventIsHandedOut) {
    const Schedule schedule = hourly();
    pass(1h);
    const Event held = pulled_one();
    EXPECT_EQ(held.due, noon + 1h);
    const auto pending = events_of(schedule, {EventStatus::pending});
    ASSERT_THAT(pending, SizeIs(1));
    EXPECT_EQ(pending[0].due, noon + 2h);
    EXPECT_EQ(wakeups.hints.back(), noon + 2h);

    pass(1h);  // its worker disappears, and the chain continues
    EXPECT_EQ(pulled("w-2").size(), 2U);
    EXPECT_EQ(events_of(schedule, {EventStatus::pending}).at(0).due, noon + 3h);
}

TEST_F(PullEventsTest, DoesNotReturnEventsThatAPolicyDrops) {
    ScheduleFields requested;
    requested.misfire = MisfirePolicy::skip;
    const Schedule schedule = hourly(requested);
    pass(3h + 10min);
    EXPECT_THAT(pulled(), IsEmpty());
    EXPECT_THAT(events_of(schedule, {EventStatus::cancelled}), SizeIs(1));
    EXPECT_EQ(events_of(schedule, {EventStatus::pending}).at(0).due, noon + 4h);
    EXPECT_EQ(observer.transitions.at({"JOB", EventStatus::cancelled}), 1U);
}

TEST_F(PullEventsTest, ParksTheEventOfAScheduleThatWasPausedAfterItsClaim) {
    const Schedule schedule = hourly();
    pass(1h);
    write([&](Transaction& tx) {  // an edit whose parking ran before the claim ended
        Schedule paused = tx.schedules().lock(schedule.id).value();
        paused.enabled = false;
        tx.schedules().update(paused);
    });
    EXPECT_THAT(pulled(), IsEmpty());
    const auto waits = events_of(schedule, {EventStatus::processing});
    ASSERT_THAT(waits, SizeIs(1));
    EXPECT_EQ(waits[0].claimable_at, never);
    EXPECT_FALSE(is_claimed(waits[0]));
}

// Attempts.

TEST_F(PullEventsTest, CountsALostLeaseAndReturnsTheEventToTheNextWorker) {
    const Event event = a_due_event();
    pulled_one("w-1");
    pass(30s);
    const Event again = pulled_one("w-2");
    EXPECT_EQ(again.id, event.id);
    EXPECT_EQ(again.attempt, Attempt{2});
    EXPECT_EQ(again.retry_count, 1U);
    EXPECT_EQ(attempts_of(event).at(0).outcome, AttemptOutcome::lost);
    EXPECT_EQ(to_string(*attempts_of(event).at(0).instance), "w-1");
    EXPECT_EQ(observer.lost_attempts, 1U);
    EXPECT_THAT(logged("lease.expired"), SizeIs(1));
}

TEST_F(PullEventsTest, FailsAnEventWhoseAttemptsWereAllLost) {
    const Event event = a_due_event();
    for (int tries = 0; tries < 3; ++tries) {  // two retries by its endpoint's policy
        pulled_one();
        pass(30s);
    }
    EXPECT_THAT(pulled(), IsEmpty());
    const Event failed = find(event);
    ASSERT_EQ(status_of(failed), EventStatus::failed);
    EXPECT_THAT(std::get<Failed>(failed.state).reason, testing::StartsWith("LEASE_LOST"));
    EXPECT_EQ(observer.transitions.at({"REMINDER", EventStatus::failed}), 1U);
    EXPECT_THAT(logged("event.failed"), SizeIs(1));
}

TEST_F(PullEventsTest, CompletesAnEventWhoseEarlierWorkerReportedLate) {
    const Event event = a_due_event();
    const Event first = pulled_one("w-1");
    pass(30s);
    const Event second = pulled_one("w-2");
    EXPECT_TRUE(fails_with<LeaseLost>(completed_by(first)));
    EXPECT_EQ(attempts_of(event).at(0).outcome, AttemptOutcome::late);

    pass(30s);  // w-2 disappears as well
    EXPECT_THAT(pulled("w-3"), IsEmpty());
    EXPECT_EQ(status_of(find(event)), EventStatus::completed);
    EXPECT_TRUE(fails_with<LeaseLost>(completed_by(second)));
}

TEST_F(PullEventsTest, FailsAnEventWithoutAPayload) {
    const Event event = an_event().to_endpoint(endpoint.id).with_payload("");
    write([&](Transaction& tx) { ASSERT_TRUE(tx.events().add(event)); });
    EXPECT_THAT(pulled(), IsEmpty());
    EXPECT_THAT(std::get<Failed>(find(event).state).reason,
                testing::HasSubstr("PAYLOAD_TOO_LARGE"));
}

TEST_F(PullEventsTest, ReleasesEventsOfAResponseThatWasNotDelivered) {
    const Event event = a_due_event();
    pull.take_back(pulled());
    const Event free = find(event);
    EXPECT_FALSE(is_claimed(free));
    EXPECT_EQ(free.claimable_at, noon);
    EXPECT_EQ(free.retry_count, 0U);
    EXPECT_EQ(attempts_of(event).at(0).outcome, AttemptOutcome::released);
    EXPECT_EQ(wakeups.hints.back(), noon);
    EXPECT_THAT(pulled("w-2"), SizeIs(1));
}

TEST_F(PullEventsTest, LetsTheLeaseExpireIfAReleaseFails) {
    const Event event = a_due_event();
    const auto work = pulled();
    faulty.release_fault = FaultyQueue::Fault::lost_request;
    EXPECT_NO_THROW(pull.take_back(work));
    EXPECT_TRUE(is_claimed(find(event)));
    EXPECT_THAT(log.lines().back().message,
                testing::HasSubstr("1 events stay claimed until their lease expires"));
}

// Limits.

TEST_F(PullEventsTest, RespectsTheInFlightLimit) {
    change_endpoint([](Endpoint& changed) { changed.max_in_flight = 2; });
    for (int i = 0; i < 5; ++i) a_due_event();
    const auto first = pulled("w-1", 1);
    EXPECT_THAT(first, SizeIs(1));
    EXPECT_THAT(pulled("w-2", 10), SizeIs(1));
    const auto nothing = pull.run(order("w-3"));
    EXPECT_THAT(nothing->events, IsEmpty());
    EXPECT_EQ(nothing->wait, 1s);
    EXPECT_TRUE(completed_by(first.at(0)));
    EXPECT_THAT(pulled("w-3"), SizeIs(1));
    pass(30s);  // the other workers are gone, and so are their leases
    EXPECT_THAT(pulled("w-4"), SizeIs(2));
}

TEST_F(PullEventsTest, RespectsTheRateLimit) {
    change_endpoint([](Endpoint& changed) { changed.rate_limit = RateLimit{10, 3}; });
    for (int i = 0; i < 9; ++i) a_due_event();
    EXPECT_THAT(pulled("w-1", 2), SizeIs(2));
    EXPECT_THAT(pulled("w-2", 10), SizeIs(1));
    const auto nothing = pull.run(order("w-3"));
    EXPECT_THAT(nothing->events, IsEmpty());
    EXPECT_EQ(nothing->wait, 100ms);
    pass(100ms);
    EXPECT_THAT(pulled("w-3"), SizeIs(1));
    pass(10s);
    EXPECT_THAT(pulled("w-3"), SizeIs(3));
}

/// Waiting workers come back 4 ms after the token.
TEST_F(PullEventsTest, UsesTheRateOfTheEndpointWellAtBurstOne) {
    constexpr int count = 101;
    change_endpoint([](Endpoint& changed) { changed.rate_limit = RateLimit{20, 1}; });
    for (int i = 0; i < count; ++i) a_due_event();
    const Instant began = clock.now();
    std::vector<Instant> given;
    WorkOrder repeated = order();
    while (given.size() < count) {
        const auto work = pull.run(repeated);
        repeated.token_at = work->token_at;
        for (const Event& event : work->events) {
            given.push_back(clock.now());
            EXPECT_TRUE(completed_by(event));
        }
        if (work->events.empty()) pass(work->wait + 4ms);
    }
    EXPECT_LE(given.back() - began, std::chrono::microseconds{5s} * 100 / 95);
    for (std::size_t i = 1; i < given.size(); ++i) EXPECT_GE(given[i] - given[i - 1], 46ms);
}

TEST_F(PullEventsTest, LosesTheTimeInWhichNoEventWaitedForAToken) {
    change_endpoint([](Endpoint& changed) { changed.rate_limit = RateLimit{20, 1}; });
    a_due_event();
    EXPECT_THAT(pulled(), SizeIs(1));
    const auto nothing = pull.run(order());
    EXPECT_EQ(nothing->wait, 50ms);
    EXPECT_EQ(nothing->token_at, std::nullopt);
}

TEST_F(PullEventsTest, TakesNoTokenForEventsThatAreNotThere) {
    change_endpoint([](Endpoint& changed) { changed.rate_limit = RateLimit{1, 2}; });
    EXPECT_EQ(pull.run(order())->wait, 0us);
    for (int i = 0; i < 3; ++i) a_due_event();
    EXPECT_THAT(pulled(), SizeIs(2));
}

TEST_F(PullEventsTest, UsesNoAttemptOfAnEventThatWaitsForALimit) {
    change_endpoint([](Endpoint& changed) { changed.max_in_flight = 1; });
    a_due_event();
    a_due_event();
    const auto first = pulled("w-1", 10);
    for (int i = 0; i < 5; ++i) EXPECT_THAT(pulled("w-2"), IsEmpty());
    EXPECT_TRUE(completed_by(first.at(0)));
    const Event then = pulled_one("w-2");
    EXPECT_EQ(then.attempt, Attempt{1});
    EXPECT_THAT(attempts_of(then), IsEmpty());
}

/// Reports events in two shards; the claim of the second one fails.
class HalfAway final : public PullQueue {
public:
    explicit HalfAway(PullQueue& queue) : queue_{queue} {}
    PullPeek peek(std::span<const EndpointId> endpoints) override {
        PullPeek peeked = queue_.peek(endpoints);
        if (peeked.heads.empty()) return peeked;
        peeked.heads.push_back(peeked.heads.front());
        peeked.heads.back().shard = peeked.heads.front().shard + 1;
        return peeked;
    }
    Claimed claim(const PullRequest& request) override {
        if (++claims_ == 2) throw Unavailable{"away"};
        PullRequest of_shard_zero = request;
        of_shard_zero.shard = 0;
        return queue_.claim(of_shard_zero);
    }
    std::uint32_t held(EndpointId endpoint) override { return queue_.held(endpoint); }

private:
    PullQueue& queue_;
    int claims_ = 0;
};

TEST_F(PullEventsTest, ReleasesEventsOfAClaimThatFailedLater) {
    const Event event = a_due_event();
    HalfAway half_away{pull_queue};
    PullEvents failing{instance_b, ports_over(half_away)};
    WorkOrder long_work = order();
    long_work.lease = 12h;
    EXPECT_THROW((void)failing.run(long_work), Unavailable);
    EXPECT_EQ(attempts_of(event).at(0).outcome, AttemptOutcome::released);
    ASSERT_THAT(logged("event.claim_failed"), SizeIs(1));
    EXPECT_EQ(field<std::string>(logged("event.claim_failed").front(), "claimedBy"), "w-1");
    EXPECT_EQ(field<std::string>(logged("event.claim_failed").front(), "reason"), "away");
    EXPECT_EQ(pulled_one("w-2").id, event.id);
}

TEST_F(PullEventsTest, IsExplained) {
    ExplainEvent explain_event{store, zones};
    const auto wait_of = [&](const Event& event) {
        return explain_event.run(to_string(event.id)).value().wait.value().text;
    };
    const Event event = a_due_event();
    EXPECT_THAT(wait_of(event), testing::HasSubstr("waits for a worker of its endpoint"));
    pulled_one("w-1");
    EXPECT_THAT(wait_of(event), testing::HasSubstr("the worker 'w-1' has it"));
}

TEST_F(PullEventsTest, RecordsTheWorkerOfEachClaim) {
    a_due_event();
    a_due_event();
    pulled("w-7");
    const auto lines = logged("event.claimed");
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_EQ(field<std::string>(lines[0], "claimedBy"), "w-7");
    EXPECT_EQ(field<std::int64_t>(lines[0], "eventsClaimed"), 2);
    EXPECT_EQ(observer.tries, 2U);
    EXPECT_EQ(observer.transitions.at({"REMINDER", EventStatus::processing}), 2U);
}

}  // namespace
}  // namespace sundial
