#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "adapters/postgres/open.hpp"
#include "application/events/cancel_event.hpp"
#include "application/events/edit_event.hpp"
#include "application/events/retry_event.hpp"
#include "application/events/schedule_event.hpp"
#include "application/ports/failures.hpp"
#include "application/streams/append_to_stream.hpp"
#include "application/streams/keep_checkpoint.hpp"
#include "application/users/create_user.hpp"
#include "contract/settlements.hpp"
#include "patient.hpp"
#include "support/builders.hpp"
#include "support/commit_cutter.hpp"
#include "support/deaf_ports.hpp"
#include "support/fake_digest.hpp"
#include "support/fake_ids.hpp"
#include "support/fake_time_zones.hpp"
#include "support/migrated_database.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

/// The outcome of a transaction if the connection is lost around its COMMIT.
namespace sundial::postgres {
namespace {

/// The real use cases on a real PostgreSQL, with a proxy in between.
class Commit : public testing::Test {
protected:
    Commit() {
        settings.pool_size = 2;
        settings.on_outcome_unknown = [this](std::string_view) { ++reported; };
        database = PostgresDatabase::open(settings, log);
    }

    Store& store() { return database->store(); }
    NewEvent a_reminder() {
        NewEvent requested;
        requested.event_type = "REMINDER";
        requested.target.utc = "2027-06-01T00:00:00Z";
        requested.payload = "{}";
        return requested;
    }
    Result<Event> schedule() {
        return ScheduleEvent{store(), zones, ids, wakeups}.run(a_reminder());
    }
    Event add_due_event() {
        Event event = an_event().due(Instant{});
        store().transact([&](Transaction& tx) { return tx.events().add(event).has_value(); });
        shard = shard_of(event.id, 16);
        return event;
    }
    Claimed claim() {
        return database->queue().claim_ready({.by = instance_a,
                                              .shard = shard,
                                              .shares = {9, 9, 9, 9},
                                              .lease = 10min,
                                              .lane = reminder_lane});
    }
    Claimed claim_new_event() {
        add_due_event();
        return claim();
    }
    /// Returns an event that was claimed and refused permanently.
    Event a_failed_event() {
        const Claimed claimed = claim_new_event();
        const auto settlement = refused(claimed.events.at(0).event, claimed.now);
        EXPECT_TRUE(database->queue().settle(std::vector{settlement}).at(0));
        return claimed.events.at(0).event;
    }
    static EventEdit sooner() {
        EventEdit edit;
        edit.priority = Priority::critical;
        return edit;
    }
    [[nodiscard]] std::string count(const std::string& what) const {
        return query(direct, "SELECT count(*) FROM sundial." + what).at(0).at(0);
    }
    [[nodiscard]] std::size_t times_logged() const {
        std::size_t times = 0;
        for (const auto& line : log.lines()) {
            times += line.event_name == "commit.outcome_unknown" ? 1U : 0U;
        }
        return times;
    }
    /// Polls, because another process satisfies the condition.
    static void wait_until(const std::function<bool()>& condition) {
        while (!condition()) std::this_thread::yield();
    }

    const std::string direct = migrated_database();
    CommitCutter proxy{direct};
    RecordedLog log;
    std::atomic<int> reported = 0;
    Settings settings = patient(proxy.url());
    FakeTimeZones zones;
    FakeIds ids;
    NoWakeups wakeups;
    std::unique_ptr<PostgresDatabase> database;
    std::uint32_t shard = 0;  // shard of the latest due event
};

TEST_F(Commit, ThatHappenedWithoutAnAnswerIsASuccess) {
    proxy.cut_next(CommitCutter::Cut::reply);
    const auto event = schedule();
    EXPECT_TRUE(event.has_value());
    EXPECT_EQ(proxy.cuts(), 1);
    EXPECT_EQ(count("events WHERE id = '" + to_string(event->id) + "'"), "1");
    EXPECT_EQ(count("events"), "1");
    EXPECT_EQ(times_logged(), 1U);
    EXPECT_EQ(reported, 1);
}

TEST_F(Commit, ThatDidNotHappenIsRetried) {
    proxy.cut_next(CommitCutter::Cut::commit);
    const auto event = schedule();
    EXPECT_TRUE(event.has_value());
    EXPECT_EQ(proxy.cuts(), 1);
    EXPECT_EQ(count("events WHERE id = '" + to_string(event->id) + "'"), "1");
    EXPECT_EQ(count("events"), "1");
    EXPECT_EQ(reported, 1);
}

TEST_F(Commit, OfAUserIsFoundByItsRecordedEvent) {
    for (const auto cut : {CommitCutter::Cut::reply, CommitCutter::Cut::commit}) {
        proxy.cut_next(cut);
        const auto user =
            CreateUser{store(), zones, ids, wakeups}.run({.first_name = "Ada",
                                                          .last_name = "Li",
                                                          .date_of_birth = "1992-01-06",
                                                          .timezone = "Europe/Paris"},
                                                         "req-1");
        ASSERT_TRUE(user.has_value());
        EXPECT_EQ(count("users WHERE id = '" + to_string(user->id) + "'"), "1");
    }
    EXPECT_EQ(count("users"), "2");
    EXPECT_EQ(count("events"), "2");
    EXPECT_EQ(count("recorded_events"), "2");
    EXPECT_EQ(reported, 2);
}

TEST_F(Commit, ES15_OfAnAppendThatIsRepeatedIsThereOnce) {
    const FakeDigest digest;
    AppendToStream append{store(), digest};
    for (const auto cut : {CommitCutter::Cut::reply, CommitCutter::Cut::commit}) {
        Append requested{.stream = {"Order", std::to_string(next_number())}, .events = {}};
        for (int i = 0; i < 2; ++i) {
            requested.events.push_back(
                {.event_id = uuid_of(next_number()), .event_type = "OrderPlaced", .data = "1"});
        }
        proxy.cut_next(cut);
        const auto appended = append.run(requested);
        ASSERT_TRUE(appended.has_value());
        EXPECT_EQ(appended->last_version, 2U);
        const auto again = append.run(requested);
        ASSERT_TRUE(again.has_value());
        EXPECT_TRUE(again->replayed);
        EXPECT_EQ(
            count("recorded_events WHERE aggregate_id = '" + requested.stream.aggregate_id + "'"),
            "2");
    }
    EXPECT_EQ(reported, 2);
}

TEST_F(Commit, OfACheckpointIsFoundByTheVersionThatItLeaves) {
    KeepCheckpoint keep{store()};
    std::uint64_t previous = 0;
    for (const auto cut : {CommitCutter::Cut::reply, CommitCutter::Cut::commit,
                           CommitCutter::Cut::reply, CommitCutter::Cut::commit}) {
        proxy.cut_next(cut);
        const auto saved = keep.save("totals", {.position = previous + 7, .previous = previous});
        ASSERT_TRUE(saved.has_value());
        previous = saved->position;
    }
    EXPECT_EQ(count("checkpoints WHERE position = 28 AND version = 4"), "1");
    EXPECT_EQ(reported, 4);
}

TEST_F(Commit, OfARetryIsFoundByItsKey) {
    for (const auto cut : {CommitCutter::Cut::reply, CommitCutter::Cut::commit}) {
        const Event failed = a_failed_event();
        proxy.cut_next(cut);
        const auto retry =
            RetryEvent{store(), ids, wakeups}.run(to_string(failed.id), RetryKey::same, "req-1");
        ASSERT_TRUE(retry.has_value());
        EXPECT_EQ(count("events WHERE retry_of = '" + to_string(failed.id) + "'"), "1");
        EXPECT_EQ(count("event_keys WHERE event_id = '" + to_string(retry->event.id) + "'"), "1");
    }
    EXPECT_EQ(reported, 2);
}

/// The server may still process a COMMIT whose client is gone. Until it has finished, the outcome
/// is unknown.
TEST_F(Commit, ThatIsStillUnderWayIsWaitedFor) {
    query(direct, R"(
        CREATE TABLE go (ahead boolean);
        CREATE FUNCTION wait_for_go() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                WHILE NOT EXISTS (SELECT FROM go) LOOP PERFORM pg_sleep(0.002); END LOOP;
                RETURN NULL;
            END $$;
        CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON sundial.events
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_for_go())");
    proxy.cut_next(CommitCutter::Cut::client);
    auto event = std::async(std::launch::async, [&] { return schedule(); });
    const auto is_checked = [&] {
        return query(direct, R"(
            SELECT FROM pg_stat_activity
             WHERE application_name = 'sundial' AND query LIKE '%pg_locks%')")
                   .size() == 1;
    };
    wait_until(is_checked);
    EXPECT_EQ(count("events"), "0");
    query(direct, "INSERT INTO go VALUES (true)");

    EXPECT_TRUE(event.get().has_value());
    EXPECT_EQ(count("events"), "1");
}

TEST_F(Commit, WithAnOutcomeThatStaysUnknownReportsIt) {
    settings.resolve_for = 50ms;
    const auto impatient = PostgresDatabase::open(settings, log);
    ScheduleEvent schedule_event{impatient->store(), zones, ids, wakeups};
    proxy.cut_next(CommitCutter::Cut::reply);
    impatient->store().read([&](Transaction&) { proxy.let_in(false); });
    EXPECT_THROW((void)schedule_event.run(a_reminder()), OutcomeUnknown);
    proxy.let_in(true);
    EXPECT_EQ(count("events"), "1");
}

/// A former primary that has come back lacks everything written since it was replaced.
TEST_F(Commit, IsNotCheckedOnAnOldPrimary) {
    const std::string own =
        query(direct, "SELECT pg_get_functiondef('sundial.timeline(bigint,bigint)'::regprocedure)")
            .at(0)
            .at(0);
    query(direct,
          "CREATE OR REPLACE FUNCTION sundial.timeline(seen bigint, seen_of bigint) RETURNS "
          "bigint LANGUAGE sql AS 'SELECT 5::bigint'");
    settings.resolve_for = 200ms;
    settings.on_outcome_unknown = [&](std::string_view) { query(direct, own); };  // timeline 1
    const auto of_later = PostgresDatabase::open(settings, log);
    (void)of_later->queue().peek(reminders_only);
    proxy.cut_next(CommitCutter::Cut::reply);
    EXPECT_THROW((void)(ScheduleEvent{of_later->store(), zones, ids, wakeups}.run(a_reminder())),
                 OutcomeUnknown);
    EXPECT_EQ(count("events"), "1");
}

constexpr auto both = {CommitCutter::Cut::reply, CommitCutter::Cut::commit};

TEST_F(Commit, OfACancellationIsFoundByTheVersionThatItLeaves) {
    CancelEvent cancel_event{store(), zones, ids, wakeups};
    for (const auto cut : both) {
        const auto event = schedule();
        proxy.cut_next(cut);
        const auto cancelled = cancel_event.run(to_string(event->id), Version{1}, "req-1");
        ASSERT_TRUE(cancelled.has_value());
        EXPECT_EQ(status_of(*cancelled), EventStatus::cancelled);
        EXPECT_EQ(cancelled->version, Version{2});
    }
    EXPECT_EQ(count("event_history WHERE status = 'CANCELLED' AND version = 2"), "2");
    EXPECT_EQ(count("events"), "0");
    EXPECT_EQ(reported, 2);
}

TEST_F(Commit, OfAnEditIsFoundByTheVersionThatItLeaves) {
    EditEvent edit_event{store(), zones, ids, wakeups};
    for (const auto cut : both) {
        const auto event = schedule();
        proxy.cut_next(cut);
        const auto edited = edit_event.run(to_string(event->id), sooner(), Version{1}, "req-1");
        ASSERT_TRUE(edited.has_value());
        EXPECT_EQ(edited->version, Version{2});
    }
    EXPECT_EQ(count("events WHERE version = 2 AND priority = 0"), "2");
    EXPECT_EQ(reported, 2);
}

TEST_F(Commit, OfADismissalIsFoundByTheVersionThatItLeaves) {
    EditEvent edit_event{store(), zones, ids, wakeups};
    EventEdit dismissal;
    dismissal.dismissed = true;
    for (const auto cut : both) {
        const Event failed = a_failed_event();
        proxy.cut_next(cut);
        const auto dismissed =
            edit_event.run(to_string(failed.id), dismissal, std::nullopt, "req-1");
        ASSERT_TRUE(dismissed.has_value());
        EXPECT_TRUE(dismissed->dismissed_at.has_value());
    }
    EXPECT_EQ(count("event_history WHERE dismissed_at IS NOT NULL AND version = 4"), "2");
    EXPECT_EQ(reported, 2);
}

/// After another transaction has changed the row, it cannot be determined whether ours did before.
TEST_F(Commit, OfAChangeToAChangedRowReportsAnUnknownOutcome) {
    const auto event = schedule();
    store().read([&](Transaction&) { proxy.let_in(false); });  // leaves only the open connection
    proxy.cut_next(CommitCutter::Cut::reply);
    auto parked = std::async(std::launch::async, [&] {
        return store().transact([&](Transaction& tx) {
            tx.events().update(park(tx.events().lock(event->id).value(), tx.now()).value());
            return true;
        });
    });
    wait_until([&] { return reported == 1; });
    wait_until([&] { return count("events WHERE version = 2") == "1"; });
    query(direct, "UPDATE sundial.events SET version = 3");
    proxy.let_in(true);
    EXPECT_THROW((void)parked.get(), OutcomeUnknown);
}

TEST_F(Commit, OfAnEditToAChangedRowIsFoundByItsAuditEntry) {
    const auto event = schedule();
    EditEvent edit_event{store(), zones, ids, wakeups};
    store().read([&](Transaction&) { proxy.let_in(false); });
    proxy.cut_next(CommitCutter::Cut::reply);
    auto edited = std::async(std::launch::async, [&] {
        return edit_event.run(to_string(event->id), sooner(), Version{1}, "req-1");
    });
    wait_until([&] { return reported == 1; });
    wait_until([&] { return count("events WHERE version = 2") == "1"; });
    query(direct, "UPDATE sundial.events SET version = 3");
    proxy.let_in(true);
    const auto found = edited.get();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->version, Version{2});
}

TEST_F(Commit, OfASettlementIsRepeatedAndKnownAgain) {
    for (const auto cut : both) {
        const Claimed claimed = claim_new_event();
        const std::vector settlements{accepted(claimed.events.at(0).event, claimed.now)};
        proxy.cut_next(cut);
        EXPECT_TRUE(database->queue().settle(settlements).at(0));
        EXPECT_TRUE(database->queue().settle(settlements).at(0));  // the worker may repeat it, too
    }
    EXPECT_EQ(count("event_history WHERE status = 'COMPLETED' AND version = 3"), "2");
    EXPECT_EQ(reported, 2);
}

TEST_F(Commit, OfARetryToComeIsRepeatedAndKnownAgain) {
    for (const auto cut : both) {
        const Claimed claimed = claim_new_event();
        const std::vector settlements{retry_in(claimed.events.at(0).event, claimed.now, 1h)};
        proxy.cut_next(cut);
        EXPECT_TRUE(database->queue().settle(settlements).at(0));
    }
    EXPECT_EQ(count("events WHERE claimed_by IS NULL AND version = 3 AND retry_count = 1"), "2");
    EXPECT_EQ(count("attempts WHERE outcome = 'RETRYABLE'"), "2");
    EXPECT_EQ(reported, 2);
}

TEST_F(Commit, OfAReleaseIsRepeatedAndRecognised) {
    for (const auto cut : both) {
        const Event held = claim_new_event().events.at(0).event;
        proxy.cut_next(cut);
        EXPECT_TRUE(database->queue().release_claims(std::vector{release_of(held, 1h)}).at(0));
    }
    EXPECT_EQ(count("events WHERE claimed_by IS NULL AND version = 3 AND retry_count = 0"), "2");
    EXPECT_EQ(count("attempts WHERE outcome = 'RELEASED'"), "2");
    EXPECT_EQ(reported, 2);
}

TEST_F(Commit, OfAnExtensionIsRepeated) {
    const Event held = claim_new_event().events.at(0).event;
    proxy.cut_next(CommitCutter::Cut::reply);
    EXPECT_TRUE(database->queue().extend(std::vector{Held{held.id, held.version}}, 1h).empty());
    EXPECT_EQ(count("events WHERE version = 2 AND lease_ends > now() + interval '59 minutes'"),
              "1");
}

/// The instance never learned what it claimed, so only the lease can end the claim.
TEST_F(Commit, OfAClaimIsLeftToItsLease) {
    add_due_event();
    proxy.cut_next(CommitCutter::Cut::reply);
    EXPECT_THROW((void)claim(), OutcomeUnknown);
    EXPECT_EQ(count("events WHERE claimed_by IS NOT NULL AND attempt = 1"), "1");
    EXPECT_TRUE(claim().events.empty());
    EXPECT_EQ(reported, 1);
}

TEST_F(Commit, IsNotNeededForAPeek) {
    proxy.cut_next(CommitCutter::Cut::reply);
    EXPECT_EQ(database->queue().peek(reminders_only).next.size(), 16U);
    EXPECT_EQ(proxy.cuts(), 1);
    EXPECT_EQ(reported, 0);
}

}  // namespace
}  // namespace sundial::postgres
