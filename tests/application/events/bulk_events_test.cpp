#include "application/events/bulk_events.hpp"

#include <gmock/gmock.h>

#include <set>

#include "application/delivery/advance_clock.hpp"
#include "application/ports/failures.hpp"
#include "support/engine.hpp"

namespace sundial {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class BulkEventsTest : public Engine {
protected:
    Result<Bulk> run(const BulkRequest& request) {
        return bulk_events.run({request, false}, "req-9");
    }
    Bulk preview(const BulkRequest& request) {
        return bulk_events.run({request, true}, "req-9").value();
    }
    /// Starts an operation and runs it to its end.
    Operation done(const BulkRequest& request) {
        const Operation begun = run(request).value().operation.value();
        operations.drain();
        return now_of(begun);
    }
    Operation now_of(const Operation& operation) {
        return queries.operation(to_string(operation.id)).value();
    }
    std::vector<NumberedFailure> errors_of(const Operation& operation) {
        return queries
            .operation_failures(to_string(operation.id), {.limit = 500, .after = std::nullopt})
            .value()
            .items;
    }
    static BulkRequest to(BulkAction action) {
        BulkRequest request;
        request.action = action;
        return request;
    }
    /// FAILED events, each a moment after the one before.
    std::vector<Event> failed_events(int count) {
        std::vector<Event> events;
        for (int i = 0; i < count; ++i) {
            events.push_back(a_failed_event());
            pass(1us);
        }
        return events;
    }
    std::vector<Event> pending_events(int count) {
        std::vector<Event> events;
        for (int i = 0; i < count; ++i) events.push_back(scheduled(a_reminder()));
        return events;
    }
    std::vector<Event> like(EventStatus status) {
        EventQuery query;
        query.statuses = {status};
        query.sort = EventQuery::Sort::created_at;
        query.page.limit = 500;
        return queries.events(query).items;
    }

    BulkEvents bulk_events{store, zones, ids, operations, log};
};

// ---- retry

TEST_F(BulkEventsTest, RetriesEveryDeadLetterOnce) {
    failed_events(7);
    const Operation over = done(to(BulkAction::retry));
    EXPECT_EQ(over.kind, OperationKind::bulk);
    EXPECT_EQ(over.status, OperationStatus::completed);
    EXPECT_EQ(over.done, 7U);
    EXPECT_EQ(over.failed, 0U);
    const auto fresh = like(EventStatus::pending);
    EXPECT_THAT(fresh, SizeIs(7));
    std::set<EventId> retried;
    for (const Event& event : fresh) retried.insert(event.retry_of.value());
    EXPECT_THAT(retried, SizeIs(7));
    EXPECT_EQ(queries.dead_letters(DeadLettersBy::reason).counted, 0U);
}

TEST_F(BulkEventsTest, EndsTheWaitsForARetryAndLeavesDeadLettersAlone) {
    failed_events(2);
    std::set<EventId> waiting;
    for (const Event& event : pending_events(3)) waiting.insert(event.id);
    pass(1h);
    for (const Event& held : claimed()) settle(held, RetryIn{24h});
    const Event other = scheduled(a_reminder());
    BulkRequest request = to(BulkAction::retry);
    request.filter.waiting_for = {WaitReason::retry};
    EXPECT_EQ(preview(request).count, 3U);
    const Operation over = done(request);
    EXPECT_EQ(over.total, 3U);
    EXPECT_EQ(over.done, 3U);
    for (const Event& event : claimed()) EXPECT_EQ(waiting.erase(event.id), 1U);
    EXPECT_THAT(waiting, IsEmpty());
    EXPECT_EQ(status_of(find(other)), EventStatus::pending);
    EXPECT_EQ(queries.dead_letters(DeadLettersBy::reason).counted, 2U);
    request.filter = {};
    request.filter.statuses = {EventStatus::processing};
    EXPECT_EQ(preview(request).count, 0U);
}

TEST_F(BulkEventsTest, RetriesOneKindOfEventAtATime) {
    BulkRequest request = to(BulkAction::retry);
    request.filter.statuses = {EventStatus::failed, EventStatus::processing};
    EXPECT_THAT(defects_of(run(request)), ElementsAre(HasSubstr("/filter/status not_allowed")));
    request.filter.statuses = {};
    request.filter.waiting_for = {WaitReason::circuit};
    EXPECT_THAT(defects_of(run(request)), ElementsAre(HasSubstr("/filter/waitingFor not_allowed")));
    request.action = BulkAction::dismiss;
    EXPECT_THAT(defects_of(run(request)), ElementsAre(HasSubstr("/filter/waitingFor not_allowed")));
}

TEST_F(BulkEventsTest, DoesNothingTheSecondTime) {
    failed_events(3);
    done(to(BulkAction::retry));
    const Operation again = done(to(BulkAction::retry));
    EXPECT_EQ(again.total, 0U);
    EXPECT_EQ(again.done, 0U);
    EXPECT_THAT(like(EventStatus::pending), SizeIs(3));
}

TEST_F(BulkEventsTest, DoesNotRetryItsOwnRetries) {
    failed_events(350);
    const Operation begun = run(to(BulkAction::retry)).value().operation.value();
    EXPECT_EQ(begun.done, 300U);
    // Its retries fail before its next batch, exactly at the instant of its start.
    const auto fail_all = [&] {
        for (auto due = claimed(); !due.empty(); due = claimed()) {
            for (const Event& event : due) failed(event);
        }
    };
    fail_all();
    operations.drain();
    EXPECT_EQ(now_of(begun).status, OperationStatus::completed);
    EXPECT_EQ(now_of(begun).done, 350U);
    fail_all();
    EXPECT_EQ(queries.dead_letters(DeadLettersBy::reason).counted, 350U);
}

TEST_F(BulkEventsTest, ReleasesRetriesAtThePaceThatWasAskedFor) {
    failed_events(25);
    BulkRequest request = to(BulkAction::retry);
    request.per_second = 10;
    const Instant start = clock.now();
    const Operation begun = run(request).value().operation.value();
    EXPECT_EQ(begun.done, 10U);
    EXPECT_EQ(begun.total, 25U);
    EXPECT_EQ(begun.status, OperationStatus::running);
    EXPECT_EQ(begun.claimable_at, start + 1s);
    auto fresh = like(EventStatus::pending);
    ASSERT_THAT(fresh, SizeIs(10));
    std::set<Instant> moments;
    for (const Event& event : fresh) moments.insert(event.claimable_at);
    EXPECT_THAT(moments, SizeIs(10));
    EXPECT_EQ(*moments.begin(), start);
    EXPECT_EQ(*moments.rbegin(), start + 900ms);
    operations.drain();
    EXPECT_EQ(now_of(begun).done, 10U);  // not before its time
    pass(1s);
    operations.drain();
    EXPECT_EQ(now_of(begun).done, 20U);
    pass(1s);
    operations.drain();
    EXPECT_EQ(now_of(begun).done, 25U);
    EXPECT_EQ(now_of(begun).status, OperationStatus::completed);
}

TEST_F(BulkEventsTest, ContinuesAsATestClockAdvances) {
    const Endpoint crm = an_existing_endpoint();
    webhook.answer = [](const DeliveryRequest&) { return status_outcome(400); };
    for (int i = 0; i < 5; ++i) a_due_event(crm);
    drain();
    std::vector<Instant> sent_at;
    webhook.answer = [&](const DeliveryRequest&) {
        sent_at.push_back(clock.now());
        return accepted_outcome();
    };
    BulkRequest request = to(BulkAction::retry);
    request.per_second = 2;
    const Instant start = clock.now();
    const Operation begun = run(request).value().operation.value();
    AdvanceClock advance_clock{clock, queue, operations, *loop};
    EXPECT_EQ(advance_clock.by(10s).value().delivered, 5U);
    EXPECT_THAT(sent_at, ElementsAre(start, start + 500ms, start + 1s, start + 1500ms, start + 2s));
    EXPECT_EQ(now_of(begun).status, OperationStatus::completed);
}

TEST_F(BulkEventsTest, SkipsDismissedEventsUnlessRequested) {
    const Event reviewed = failed_events(2).front();
    BulkRequest one = to(BulkAction::dismiss);
    one.ids = {reviewed.id};
    done(one);
    EXPECT_EQ(preview(to(BulkAction::retry)).count, 1U);
    BulkRequest dismissed = to(BulkAction::retry);
    dismissed.filter.dismissed = true;
    EXPECT_THAT(preview(dismissed).samples, ElementsAre(Field(&Event::id, reviewed.id)));
    EXPECT_EQ(done(dismissed).done, 1U);
    EXPECT_EQ(like(EventStatus::pending).at(0).retry_of, reviewed.id);
}

TEST_F(BulkEventsTest, NamesTheEventThatHasTheKeyOfAFailedRetry) {
    const Event failed_one = a_failed_event();
    const Event fresh =
        retry_event.run(to_string(failed_one.id), RetryKey::same, "req-1").value().event;
    const Event pending = scheduled(a_reminder());
    const EventId unknown = an_id<EventId>();
    BulkRequest request = to(BulkAction::retry);
    request.ids = {failed_one.id, pending.id, unknown};
    const Operation over = done(request);
    EXPECT_EQ(over.status, OperationStatus::completed);
    EXPECT_EQ(over.done, 0U);
    EXPECT_EQ(over.failed, 3U);
    const auto errors = errors_of(over);
    ASSERT_THAT(errors, SizeIs(3));
    EXPECT_EQ(errors[0].failure.id, failed_one.id.value);
    EXPECT_EQ(errors[0].failure.code, "DUPLICATE_IDEMPOTENCY_KEY");
    EXPECT_THAT(errors[0].failure.detail, HasSubstr(to_string(fresh.id)));
    EXPECT_EQ(errors[1].failure.code, "INVALID_STATE_TRANSITION");
    EXPECT_THAT(errors[1].failure.detail, HasSubstr("PENDING"));
    EXPECT_EQ(errors[2].failure.code, "EVENT_NOT_FOUND");
    EXPECT_EQ(errors[2].failure.subject, OperationSubject::event);
}

TEST_F(BulkEventsTest, WakesTheWorkerForNewEvents) {
    failed_events(1);
    wakeups.hints.clear();
    done(to(BulkAction::retry));
    EXPECT_THAT(wakeups.hints, Contains(clock.now()));
}

// ---- a crash

TEST_F(BulkEventsTest, ContinuesAfterACrash) {
    failed_events(350);
    const Operation begun = run(to(BulkAction::retry)).value().operation.value();
    EXPECT_EQ(begun.done, 300U);  // within the request itself
    // The process dies in the middle of the next batch, which is rolled back.
    try {
        store.transact([&](Transaction& tx) -> bool {
            const auto held = tx.operations().lock(begun.id).value();
            BulkTask{zones, ids}.run(tx, held);
            throw Unavailable("killed");
        });
    } catch (const Unavailable&) {
    }
    EXPECT_THAT(like(EventStatus::pending), SizeIs(300));
    operations.drain();
    EXPECT_EQ(now_of(begun).done, 350U);
    EXPECT_THAT(like(EventStatus::pending), SizeIs(350));
}

// ---- dismiss

TEST_F(BulkEventsTest, DismissesByReason) {
    failed_events(2);
    scheduled([] {
        auto requested = a_reminder();
        requested.target.utc = "now";
        return requested;
    }());
    const Event other = claimed_one();
    settle(other, Refused{"TIMEOUT after 10 s"});
    BulkRequest request = to(BulkAction::dismiss);
    request.filter.reason = "TIMEOUT";
    request.note = "the receiver\nis gone";
    EXPECT_EQ(done(request).done, 1U);
    EXPECT_TRUE(find(other).dismissed_at);
    EXPECT_EQ(find(other).dismissal_note, request.note);
    EXPECT_EQ(queries.dead_letters(DeadLettersBy::reason).counted, 2U);
}

TEST_F(BulkEventsTest, CountsAlreadyDismissedEventsAsDone) {
    const Event one = a_failed_event();
    BulkRequest request = to(BulkAction::dismiss);
    request.ids = {one.id};
    done(request);
    const Event dismissed = find(one);
    EXPECT_EQ(done(request).done, 1U);
    EXPECT_EQ(find(one), dismissed);
}

// ---- cancel

TEST_F(BulkEventsTest, CancelsLiveEventsAndReportsClaimedOnes) {
    pending_events(3);
    NewEvent due = a_reminder();
    due.target.utc = "now";
    scheduled(due);
    const Event held = claimed_one();
    const Event dead = a_failed_event();
    BulkRequest request = to(BulkAction::cancel);
    request.filter.types = {"REMINDER"};
    const Operation over = done(request);
    EXPECT_EQ(over.done, 3U);
    EXPECT_EQ(over.failed, 1U);
    EXPECT_EQ(errors_of(over).at(0).failure.id, held.id.value);
    EXPECT_THAT(errors_of(over).at(0).failure.detail, HasSubstr("claimed"));
    EXPECT_THAT(like(EventStatus::cancelled), SizeIs(3));
    EXPECT_EQ(find(dead), dead);
}

TEST_F(BulkEventsTest, CancelsOneOccurrenceOfARuleThoughItsSuccessorMatchesToo) {
    const User ada_lives = created(ada());
    const Event first = pending_of(ada_lives);
    BulkRequest request = to(BulkAction::cancel);
    request.filter.schedule = birthday().id;
    const Operation over = done(request);
    EXPECT_EQ(over.done, 1U);
    EXPECT_EQ(status_of(find(first)), EventStatus::cancelled);
    EXPECT_GT(pending_of(ada_lives).due, first.due);
}

// ---- reschedule

TEST_F(BulkEventsTest, MovesEachByAShiftInItsZone) {
    NewEvent requested = a_reminder();
    requested.target = {.local = "2027-03-01T09:00:00", .zone = "Europe/Paris"};
    const Event local = scheduled(requested);
    const Event plain = scheduled(a_reminder());
    BulkRequest request = to(BulkAction::reschedule);
    request.filter.types = {"REMINDER"};
    request.shift = -90s;
    EXPECT_EQ(done(request).done, 2U);
    EXPECT_EQ(find(local).due, local.due - 90s);
    EXPECT_EQ(find(local).intent.zone, "Europe/Paris");
    EXPECT_EQ(find(plain).due, plain.due - 90s);
    EXPECT_EQ(find(plain).claimable_at, plain.due - 90s);
}

TEST_F(BulkEventsTest, MovesExactEventsToALocalTimeInTheirOwnZone) {
    NewEvent requested = a_reminder();
    requested.target = {.local = "2027-03-01T09:00:00", .zone = "Europe/Paris"};
    const Event event = scheduled(requested);
    BulkRequest request = to(BulkAction::reschedule);
    request.filter.types = {"REMINDER"};
    request.shift = 30min;
    EXPECT_EQ(done(request).done, 1U);
    ASSERT_FALSE(find(event).intent.wall);
    request.shift.reset();
    request.target.local = "2027-03-02T09:00:00";
    EXPECT_EQ(done(request).done, 1U);
    EXPECT_EQ(find(event).due, event.due + 24h);
    EXPECT_EQ(find(event).intent.zone, "Europe/Paris");
}

TEST_F(BulkEventsTest, MovesAllToOneMomentAsOfTheRequest) {
    pending_events(2);
    BulkRequest request = to(BulkAction::reschedule);
    request.filter.statuses = {EventStatus::pending};
    request.target.utc = "now+2h";
    request.per_second = 1;
    const Instant requested = clock.now() + 2h;
    const Operation begun = run(request).value().operation.value();
    pass(1s);
    operations.drain();
    pass(1s);
    operations.drain();
    EXPECT_EQ(now_of(begun).done, 2U);
    EXPECT_THAT(like(EventStatus::pending), Each(Field(&Event::due, requested)));
}

// ---- limits

TEST_F(BulkEventsTest, ADryRunChangesNothing) {
    failed_events(7);
    const Bulk bulk = preview(to(BulkAction::retry));
    EXPECT_EQ(bulk.count, 7U);
    EXPECT_THAT(bulk.samples, SizeIs(5));
    EXPECT_FALSE(bulk.operation);
    EXPECT_THAT(like(EventStatus::pending), IsEmpty());
    BulkRequest some = to(BulkAction::retry);
    some.ids = {bulk.samples[0].id, scheduled(a_reminder()).id, an_id<EventId>()};
    EXPECT_EQ(preview(some).count, 1U);
    EXPECT_THAT(preview(some).samples, ElementsAre(bulk.samples[0]));
}

TEST_F(BulkEventsTest, RefusesFiltersThatDoNotFitTheAction) {
    const auto defects = [&](const BulkRequest& request) { return defects_of(run(request)); };
    BulkRequest request = to(BulkAction::retry);
    request.filter.statuses = {EventStatus::failed, EventStatus::completed};
    EXPECT_THAT(defects(request), ElementsAre(HasSubstr("/filter/status")));
    request = to(BulkAction::reschedule);
    request.filter.statuses = {EventStatus::processing};
    request.shift = 1h;
    EXPECT_THAT(defects(request), ElementsAre(HasSubstr("/filter/status")));
    EXPECT_THAT(defects(to(BulkAction::cancel)), ElementsAre(HasSubstr("/filter")));
    request = to(BulkAction::dismiss);
    request.shift = 1h;
    EXPECT_THAT(defects(request), ElementsAre(HasSubstr("/set")));
    request = to(BulkAction::reschedule);
    request.filter.types = {"A"};
    EXPECT_THAT(defects(request), ElementsAre(HasSubstr("/set/targetTimestampUTC")));
    request.target.utc = "yesterday";
    EXPECT_THAT(defects(request), ElementsAre(HasSubstr("/set/targetTimestampUTC")));
    request.shift = 1h;
    EXPECT_THAT(defects(request), ElementsAre(HasSubstr("/set")));
    EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(BulkEventsTest, RefusesAFifthAtOnce) {
    failed_events(1);
    BulkRequest slow = to(BulkAction::dismiss);
    slow.filter.types = {"NOTHING"};
    for (std::size_t i = 0; i < max_bulk_operations; ++i) {
        write([&](Transaction& tx) {
            EXPECT_TRUE(operations.start_bulk(tx, text_of(slow), 1).has_value());
        });
    }
    EXPECT_TRUE(fails_with<TooManyOperations>(run(to(BulkAction::retry))));
    EXPECT_EQ(preview(to(BulkAction::retry)).count, 1U);  // a preview does not count
    clock.advance(30s);
    operations.drain();
    EXPECT_TRUE(run(to(BulkAction::retry)));
}

TEST_F(BulkEventsTest, RecordsItsCaller) {
    failed_events(2);
    const Operation over = done(to(BulkAction::retry));
    const auto lines = log.lines();
    const auto line = std::ranges::find(lines, "req-9", &base::LogLine::correlation_id);
    ASSERT_NE(line, lines.end());
    EXPECT_THAT(line->fields, Contains(std::pair<std::string, base::LogLine::Value>{
                                  "action", std::string{"retry"}}));
    EXPECT_THAT(line->fields, Contains(std::pair<std::string, base::LogLine::Value>{
                                  "operationId", to_string(over.id)}));
}

}  // namespace
}  // namespace sundial
