#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "application/events/explain_event.hpp"
#include "support/engine.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using Fault = FaultyQueue::Fault;

/// The worker's loop when ports fail, replies are lost and leases expire.
class WorkerFailures : public Engine {};

TEST_F(WorkerFailures, CountsAnAttemptThatCannotBeStartedAsFailed) {
    const Event event = a_due_event(an_existing_endpoint());
    webhook.refuses_to_start = true;
    EXPECT_EQ(drain(), (TickCounters{.claimed = 1, .retrying = 1}));
    EXPECT_EQ(find(event).retry_count, 1U);
    EXPECT_THAT(field<std::string>(logged("event.retrying").at(0), "failureReason"),
                StartsWith("WORKER no thread is left"));
}

TEST_F(WorkerFailures, SettlesOnceAlthoughTheReplyIsLost) {
    const Event event = a_due_event(an_existing_endpoint());
    faulty.settle_fault = Fault::lost_reply;
    turn(20);
    EXPECT_EQ(loop->counters(), (TickCounters{.claimed = 1, .completed = 1}));
    EXPECT_EQ(status_of(find(event)), EventStatus::completed);
    EXPECT_THAT(webhook.requests, SizeIs(1));
}

TEST_F(WorkerFailures, ReleasesOnceAlthoughTheReplyIsLost) {
    birthdays_go_to(an_endpoint().disabled());
    const User user = created(ada());
    pass(24h);
    faulty.release_fault = Fault::lost_reply;
    turn(20);
    const Event waits = events_of(user, {EventStatus::processing}).at(0);
    EXPECT_EQ(waits.version, Version{3});
    EXPECT_EQ(waits.claimable_at, never);
}

/// Events of a machine that works do not wait for one that fails.
TEST_F(WorkerFailures, FreesReleasedEventsWhileOthersCannotBeReleased) {
    const Endpoint endpoint = an_existing_endpoint();
    const auto change = [&](const auto& change_of) {
        write([&](Transaction& tx) {
            tx.circuits().put(change_of(tx.circuits().lock(endpoint.id)));
        });
    };
    change([](const Circuit& fresh) { return count(fresh, {.failed = 5}, noon, CircuitPolicy{}); });
    a_due_event(endpoint);
    a_due_event(endpoint);
    std::vector<std::uint64_t> waiting;  // for the circuit, before each release
    faulty.before_release = [&] {
        change(closed);
        waiting.push_back(queue.depth().waiting_for_circuit);
    };
    faulty.release_fault = Fault::lost_part;
    turn(40);
    EXPECT_THAT(waiting, ElementsAre(0U, 1U));
    EXPECT_EQ(loop->counters(), (TickCounters{.claimed = 4, .completed = 2}));
}

TEST_F(WorkerFailures, LetsAClaimWithALostReplyExpire) {
    const Event event = a_due_event(an_existing_endpoint());
    faulty.claim_fault = Fault::lost_reply;
    turn(20);
    EXPECT_THAT(webhook.requests, IsEmpty());
    clock.advance(30s);
    turn(20);
    EXPECT_THAT(webhook.requests, SizeIs(1));
    EXPECT_EQ(find(event).retry_count, 1U);
    EXPECT_EQ(find(event).attempt, Attempt{2});
    EXPECT_THAT(logged("lease.expired"), SizeIs(1));
    EXPECT_EQ(observer.lost_attempts, 1U);
}

TEST_F(WorkerFailures, ReportsADatabaseOutageToADrain) {
    a_due_event(an_existing_endpoint());
    faulty.peek_fault = Fault::lost_request;
    EXPECT_THROW(drain(), Unavailable);
    monotonic.time += 1s;
    EXPECT_EQ(drain(), (TickCounters{.claimed = 1, .completed = 1}));
}

TEST_F(WorkerFailures, RecordsALateSuccessAndDoesNotSendAgain) {
    const Event event = a_due_event(an_existing_endpoint());
    webhook.holds = true;
    turn(8);
    ASSERT_THAT(webhook.requests, SizeIs(1));

    // Another instance takes over after the lease has expired; its own attempt fails.
    clock.advance(30s);
    webhook.holds = false;
    webhook.answer = [](const DeliveryRequest&) { return status_outcome(500); };
    const auto other = a_loop(instance_b);
    EXPECT_EQ(other->take_over().drain(std::nullopt), (TickCounters{.claimed = 1, .retrying = 1}));

    webhook.finish(accepted_outcome(200));
    turn(8);
    EXPECT_THAT(logged("settle.late"), SizeIs(1));
    EXPECT_EQ(observer.late_settles, 1U);

    clock.advance(2s);
    EXPECT_EQ(other->take_over().drain(std::nullopt), (TickCounters{.claimed = 1, .completed = 1}));
    EXPECT_THAT(webhook.requests, SizeIs(2));
    EXPECT_EQ(status_of(find(event)), EventStatus::completed);
}

/// Found by the simulation (tests/simulation/seeds): COMPLETED although no receiver had accepted
/// the event.
TEST_F(WorkerFailures, DoesNotCountALateAbandonAsASuccess) {
    const RetryPolicy one_retry{.kind = RetryPolicy::Kind::custom, .custom = {1s}};
    const Event event =
        a_due_event(an_existing_endpoint(an_endpoint().with_retry_policy(one_retry)));
    for (int lost_count = 0; lost_count < 2; ++lost_count) {
        ASSERT_THAT(claimed(instance_b), SizeIs(1));
        clock.advance(30s);
    }
    // This instance finds that no attempts remain, but its settlement is lost until another
    // instance holds the event.
    faulty.settle_fault = Fault::lost_request;
    turn(5);
    ASSERT_EQ(find(event).attempt, Attempt{3});
    clock.advance(30s);
    ASSERT_THAT(claimed(instance_b), SizeIs(1));
    turn(8);
    EXPECT_THAT(logged("settle.late"), SizeIs(1));

    clock.advance(30s);
    const auto other = a_loop(an_id<InstanceId>());
    EXPECT_EQ(other->take_over().drain(std::nullopt), (TickCounters{.claimed = 1, .failed = 1}));
    EXPECT_EQ(status_of(find(event)), EventStatus::failed);
    EXPECT_THAT(webhook.requests, IsEmpty());
}

TEST_F(WorkerFailures, AbandonsAnAttemptWhoseLeaseIsLost) {
    const Event event = a_due_event(an_existing_endpoint());
    webhook.holds = true;
    turn(8);
    ASSERT_THAT(webhook.requests, SizeIs(1));

    clock.advance(30s);
    ASSERT_THAT(claimed(instance_b), SizeIs(1));
    monotonic.time += 10s;  // time to extend
    turn(2);
    EXPECT_THAT(webhook.abandoned, ElementsAre(event.id));
    EXPECT_EQ(observer.leases_lost, 1U);
}

TEST_F(WorkerFailures, AbandonsAnAttemptWhoseLeaseItCannotExtendInTime) {
    const Event event = a_due_event(an_existing_endpoint());
    webhook.holds = true;
    turn(8);
    ASSERT_THAT(webhook.requests, SizeIs(1));

    monotonic.time += 26s;  // frozen
    turn(1);
    EXPECT_THAT(webhook.abandoned, ElementsAre(event.id));
}

TEST_F(WorkerFailures, SendsEventsOfADeadHolderWithinATickAfterTheirLease) {
    const Event event = a_due_event(an_existing_endpoint());
    webhook.holds = true;
    turn(8);
    ASSERT_THAT(webhook.requests, SizeIs(1));
    crash();
    pass(30s - 1us);
    turn(20);
    EXPECT_THAT(webhook.requests, SizeIs(1));

    pass(1us);
    const Mono over = monotonic.time;
    for (int i = 0; i < 20 && webhook.requests.size() == 1; ++i) turn(1);
    ASSERT_THAT(webhook.requests, SizeIs(2));
    EXPECT_EQ(webhook.requests.back().event->attempt, Attempt{2});
    EXPECT_LE(monotonic.time - over, worker_settings().tick);
}

/// Before, the lateness was that of the attempt after the crash.
TEST_F(WorkerFailures, ReportsOneLatenessIfTheFirstHolderDied) {
    const Event event = a_due_event(an_existing_endpoint());
    pass(66ms);
    webhook.holds = true;
    turn(8);
    ASSERT_THAT(webhook.requests, SizeIs(1));
    crash();
    observer.lateness.clear();  // it died with its process
    pass(30s);
    webhook.holds = false;
    drain();

    const Event done = find(event);
    ASSERT_EQ(status_of(done), EventStatus::completed);
    EXPECT_EQ(lateness(done), 66ms);
    EXPECT_FALSE(late_execution(done));
    EXPECT_THAT(observer.lateness, ElementsAre(66ms));
    ASSERT_THAT(logged("event.completed"), SizeIs(1));
    const base::LogLine line = logged("event.completed").front();
    EXPECT_EQ(field<std::int64_t>(line, "latenessMs"), 66);
    EXPECT_FALSE(field<bool>(line, "lateExecution"));
    ExplainEvent explain_event{store, zones};
    const auto explanation = explain_event.run(to_string(event.id)).value();
    const auto first =
        std::ranges::find(explanation.steps, std::string_view{"attempt"}, &ExplainedStep::step);
    EXPECT_THAT(first->text, StartsWith("attempt 1: LOST, begun at 2027-01-05T12:00:00.066Z"));
    EXPECT_THAT(explanation.steps.back().text, testing::Not(testing::HasSubstr("late")));
}

TEST_F(WorkerFailures, FailsAnEventUnsentThatWasLostTooOften) {
    Endpoint endpoint = an_endpoint().with_retry_policy({.kind = RetryPolicy::Kind::seed});
    const Event event = a_due_event(an_existing_endpoint(endpoint));
    webhook.holds = true;
    for (int i = 0; i < 4; ++i) {
        turn(8);
        crash();
        clock.advance(30s);
    }
    drain();
    EXPECT_THAT(webhook.requests, SizeIs(4));
    const Event failed_event = find(event);
    ASSERT_EQ(status_of(failed_event), EventStatus::failed);
    EXPECT_THAT(std::get<Failed>(failed_event.state).reason, StartsWith("LEASE_LOST"));
}

/// A template that becomes too long with one user's names fails only that user's event, not the
/// schedule.
TEST_F(WorkerFailures, FailsAnEventUnsentIfItsPayloadIsTooLong) {
    birthdays_go_to(an_endpoint());
    ScheduleFields greedy;
    greedy.payload = R"({"text":")";
    for (int i = 0; i < 1'000; ++i) *greedy.payload += "{metadata.note}";
    *greedy.payload += "\"}";
    edited_birthday(greedy);
    UserFields fields = ada();
    fields.metadata["note"] = std::string(400, 'x');
    const User user = created(fields);
    const Event event = pending_of(user);
    EXPECT_EQ(event.payload, "");

    advance(event.due - clock.now());
    const Event failed = find(event);
    ASSERT_EQ(status_of(failed), EventStatus::failed);
    EXPECT_THAT(std::get<Failed>(failed.state).reason, HasSubstr("PAYLOAD_TOO_LARGE"));
    EXPECT_THAT(webhook.requests, IsEmpty());
    EXPECT_EQ(pending_of(user).occurrence->nominal.date.year(), std::chrono::year{2028});

    // Next year's event is rendered again as soon as it fits.
    UserEdit shorter;
    shorter.metadata.members = {{"note", ""}};
    edited(user, shorter);
    EXPECT_EQ(pending_of(user).payload, R"({"text":""})");
}

}  // namespace
}  // namespace sundial
