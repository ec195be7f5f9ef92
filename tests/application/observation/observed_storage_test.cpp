#include "application/observation/observed_storage.hpp"

#include <gmock/gmock.h>

#include <map>
#include <utility>
#include <vector>

#include "application/operations/operation_tasks.hpp"
#include "application/streams/append_to_stream.hpp"
#include "application/streams/keep_checkpoint.hpp"
#include "contract/settlements.hpp"
#include "support/engine.hpp"
#include "support/fake_digest.hpp"
#include "support/pull_workers.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

class CountingStorageObserver final : public StorageObserver {
public:
    void transition(std::string_view type, EventStatus status, std::size_t count) override {
        transitions[{std::string{type}, status}] += count;
    }
    void queried(std::string_view operation, std::chrono::microseconds duration) override {
        queries.emplace_back(operation, duration);
    }
    void appended(std::string_view aggregate_type, std::size_t count) override {
        appended_to.emplace_back(aggregate_type, count);
    }
    void skipped(std::string_view reason, std::uint64_t count) override {
        skipped_for[std::string{reason}] += count;
    }
    void conflicted(std::string_view operation, std::size_t count) override {
        conflicts[std::string{operation}] += count;
    }
    std::map<std::pair<std::string, EventStatus>, std::size_t> transitions;
    std::map<std::string, std::size_t> conflicts;
    std::map<std::string, std::uint64_t> skipped_for;
    std::vector<std::pair<std::string, std::size_t>> appended_to;
    std::vector<std::pair<std::string, std::chrono::microseconds>> queries;
};

/// Use cases on a store that reports their changes.
class Observed : public Engine {
protected:
    [[nodiscard]] std::size_t times(const std::string& type, EventStatus status) const {
        const auto found = counted.transitions.find({type, status});
        return found == counted.transitions.end() ? 0 : found->second;
    }
    static std::string text(const base::LogLine& line, std::string_view name) {
        return field<std::string>(line, name);
    }

    CountingStorageObserver counted;
    PullQueue& pull_queue = store.pull_queue();
    ObservedStorage watched{{.store = store,
                             .queue = queue,
                             .pull_queue = pull_queue,
                             .monotonic = monotonic,
                             .observer = counted,
                             .log = log}};

    CreateUser create{watched, zones, ids, wakeups};
    EditUser edit{watched, zones, ids, wakeups};
    DeleteUser remove{watched, ids};
    ScheduleEvent schedule{watched, zones, ids, wakeups};
    EditEvent edit_one{watched, zones, ids, wakeups};
    CancelEvent cancel_one{watched, zones, ids, wakeups};
    RetryEvent retry{watched, ids, wakeups};
    Operations edits{operation_settings,
                     {.store = watched,
                      .ids = ids,
                      .wakeups = wakeups,
                      .monotonic = monotonic,
                      .log = log,
                      .make_task = operation_tasks(watched, zones, ids, wakeups)}};
    EditSchedule edit_rule{watched, zones, ids, edits};
};

TEST_F(Observed, CountsCreatedObjects) {
    ASSERT_TRUE(create.run(ada(), "req-1"));
    ASSERT_TRUE(schedule.run(a_reminder()));
    ASSERT_TRUE(retry.run(to_string(a_failed_event().id), RetryKey::same, "req-1"));
    EXPECT_EQ(times("BIRTHDAY", EventStatus::pending), 1U);
    EXPECT_EQ(times("REMINDER", EventStatus::pending), 2U);
    EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(Observed, DoesNotCountRefusedRequests) {
    NewEvent requested = a_reminder();
    requested.idempotency_key = "once";
    ASSERT_TRUE(schedule.run(requested));
    ASSERT_FALSE(schedule.run(requested));
    requested.endpoint = "ext:nobody";
    ASSERT_FALSE(schedule.run(requested));
    EXPECT_EQ(times("REMINDER", EventStatus::pending), 1U);
}

TEST_F(Observed, DoesNotReportRolledBackChanges) {
    const Event event = scheduled(a_reminder());
    watched.transact([&](Transaction& tx) {
        tx.events().finish(cancel(tx.events().lock(event.id).value(), tx.now(), "no").value());
        return false;
    });
    EXPECT_THAT(counted.transitions, IsEmpty());
    EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(Observed, LogsACancellationAndCountsItWithItsSuccessor) {
    const User user = created(ada());
    const Event event = pending_of(user);
    ASSERT_TRUE(cancel_one.run(to_string(event.id), std::nullopt, "req-1"));

    EXPECT_EQ(times("BIRTHDAY", EventStatus::cancelled), 1U);
    EXPECT_EQ(times("BIRTHDAY", EventStatus::pending), 1U);
    ASSERT_THAT(logged("event.cancelled"), SizeIs(1));
    const auto line = logged("event.cancelled").at(0);
    EXPECT_EQ(line.correlation_id, "evt-" + to_string(event.id));
    EXPECT_EQ(text(line, "eventId"), to_string(event.id));
    EXPECT_EQ(text(line, "scheduleId"), to_string(event.occurrence->schedule));
    EXPECT_EQ(text(line, "reason"), "cancelled on request");
    EXPECT_EQ(text(line, "before"), "2027-01-06T08:00:00.000Z");
    EXPECT_FALSE(has_field(line, "after"));
}

TEST_F(Observed, LogsEventsCancelledWithTheirUser) {
    const User user = created(ada());
    ASSERT_TRUE(remove.run(to_string(user.id), UserHistory::keep, std::nullopt, "req-1"));
    ASSERT_THAT(logged("event.cancelled"), SizeIs(1));
    EXPECT_EQ(text(logged("event.cancelled").at(0), "reason"), "user deleted");
    EXPECT_EQ(times("BIRTHDAY", EventStatus::cancelled), 1U);
}

TEST_F(Observed, LogsEventsMovedByUserRuleOrCaller) {
    const User user = created(ada());
    UserEdit to_honolulu;
    to_honolulu.timezone = "Pacific/Honolulu";
    ASSERT_TRUE(edit.run(to_string(user.id), to_honolulu, std::nullopt, "req-1"));
    ScheduleFields later;
    later.trigger = TriggerFields{.yearly = YearlyFields{.at = "10:00"}};
    ASSERT_TRUE(edit_rule.run("ext:birthday", later, std::nullopt, "req-2"));
    EventEdit by_hand;
    by_hand.target.utc = "2027-01-07T00:00:00Z";
    ASSERT_TRUE(edit_one.run(to_string(pending_of(user).id), by_hand, std::nullopt, "req-1"));

    const auto lines = logged("event.rescheduled");
    ASSERT_THAT(lines, SizeIs(3));
    const auto reported = [&](std::size_t i) {
        return std::vector{text(lines[i], "reason"), text(lines[i], "before"),
                           text(lines[i], "after")};
    };
    EXPECT_THAT(reported(0), ElementsAre("user changed", "2027-01-06T08:00:00.000Z",
                                         "2027-01-06T19:00:00.000Z"));
    EXPECT_THAT(reported(1), ElementsAre("schedule changed", "2027-01-06T19:00:00.000Z",
                                         "2027-01-06T20:00:00.000Z"));
    EXPECT_THAT(reported(2), ElementsAre("changed on request", "2027-01-06T20:00:00.000Z",
                                         "2027-01-07T00:00:00.000Z"));
    EXPECT_EQ(text(lines[0], "scheduleId"), to_string(birthday().id));
}

TEST_F(Observed, DoesNotLogEventsThatKeepTheirTime) {
    const User user = created(ada());
    UserEdit renamed;
    renamed.first_name = "Bea";
    ASSERT_TRUE(edit.run(to_string(user.id), renamed, std::nullopt, "req-1"));
    EXPECT_EQ(pending_of(user).version, Version{2});
    EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(Observed, WakesFollowersAfterAnyAppend) {
    /// A store with the shortcut `append_at_once`; if not `open`, the shortcut declines.
    class QuickStore final : public Store {
    public:
        explicit QuickStore(Store& store) : store_(store) {}
        void transact(const std::function<bool(Transaction&)>& work) override {
            store_.transact(work);
        }
        void read(const std::function<void(Transaction&)>& work) override { store_.read(work); }
        [[nodiscard]] bool open_here() override { return store_.open_here(); }
        std::optional<Appended> append_at_once(ExpectedVersion /*expected*/,
                                               std::span<const RecordedEvent> batch) override {
            if (!open) return std::nullopt;
            return Appended{.first_version = 1, .last_version = batch.size()};
        }
        bool open = true;

    private:
        Store& store_;
    };
    QuickStore quick{store};
    ObservedStorage its_watch{{.store = quick,
                               .queue = queue,
                               .pull_queue = pull_queue,
                               .monotonic = monotonic,
                               .observer = counted,
                               .log = log}};
    int woken = 0;
    its_watch.on_append([&woken] { ++woken; });
    const FakeDigest digest;
    AppendToStream append{its_watch, digest};
    const Append requested{
        .stream = {"Order", "1"},
        .events = {{.event_id = uuid_of(1), .event_type = "Placed", .data = "1"}}};
    EXPECT_TRUE(append.run(requested));
    EXPECT_EQ(woken, 1);
    EXPECT_EQ(in_read(store, [&](Transaction& tx) { return tx.streams().find(requested.stream); }),
              StreamHead{});
    quick.open = false;
    EXPECT_TRUE(append.run(requested));
    EXPECT_EQ(woken, 2);
    EXPECT_THAT(counted.appended_to, ElementsAre(Pair("Order", 1), Pair("Order", 1)));
    EXPECT_EQ(in_read(store, [&](Transaction& tx) { return tx.streams().find(requested.stream); })
                  .version,
              1U);
}

/// Issue 19, item 17.
constexpr Version stale{99};

TEST_F(Observed, CountsChangesOfAnotherVersion) {
    const User user = created(ada());
    const Endpoint endpoint = an_existing_endpoint();
    const std::string event = to_string(scheduled(a_reminder()).id);
    EditEndpoint edit_endpoint{watched, secrets, kinds, ids, unpark_events, log};
    UserEdit renamed;
    renamed.first_name = "Bea";
    ScheduleFields later;
    later.trigger = TriggerFields{.yearly = YearlyFields{.at = "10:00"}};

    EXPECT_FALSE(edit.run(to_string(user.id), renamed, stale, "req-1"));
    EXPECT_FALSE(remove.run(to_string(user.id), UserHistory::keep, stale, "req-1"));
    EXPECT_FALSE(edit_one.run(event, {.payload = "2"}, stale, "req-1"));
    EXPECT_FALSE(cancel_one.run(event, stale, "req-1"));
    EXPECT_FALSE(edit_rule.run("ext:birthday", later, stale, "req-2"));
    EXPECT_FALSE(edit_endpoint.run(to_string(endpoint.id), {.name = "other"}, stale, "req-3"));
    EXPECT_THAT(counted.conflicts, ElementsAre(Pair("update_endpoint", 1), Pair("update_event", 2),
                                               Pair("update_schedule", 1), Pair("update_user", 2)));

    ASSERT_TRUE(edit.run(to_string(user.id), renamed, user.version, "req-1"));
    EXPECT_FALSE(edit_one.run("nonsense", {.payload = "2"}, stale, "req-1"));
    EXPECT_EQ(counted.conflicts.at("update_user"), 2U);
    EXPECT_EQ(counted.conflicts.at("update_event"), 2U);
}

TEST_F(Observed, CountsAppendsAndCheckpointsOfAnotherVersion) {
    const FakeDigest digest;
    AppendToStream append{watched, digest};
    KeepCheckpoint checkpoints{watched};
    const auto requested = [](std::uint64_t id, const char* stream, ExpectedVersion expected) {
        return Append{.stream = {"Order", stream},
                      .expected = expected,
                      .events = {{.event_id = uuid_of(id), .event_type = "Placed", .data = "1"}}};
    };
    EXPECT_FALSE(append.run(requested(1, "1", ExpectedVersion::exactly(7))));
    const std::vector batch{requested(2, "2", ExpectedVersion::exactly(7)),
                            requested(3, "3", ExpectedVersion::any()),
                            requested(4, "4", ExpectedVersion::stream_exists())};
    EXPECT_FALSE(append.run_all(batch));
    EXPECT_FALSE(checkpoints.save("orders", {.position = 2, .previous = 1}));
    EXPECT_THAT(counted.conflicts, ElementsAre(Pair("append", 3), Pair("checkpoint", 1)));
}

TEST_F(Observed, CountsClaimsThatAnotherHolderHas) {
    const Event event =
        *claim(scheduled(a_reminder()), Claimant{an_id<InstanceId>(), ""}, never - 1h, 30s);
    Settlement late = accepted(event, noon);
    late.held = stale;
    const std::vector settlements{late, late};
    const Held held{event.id, stale};
    const ReleasedClaim released{.id = event.id,
                                 .held = stale,
                                 .number = Attempt{1},
                                 .by = holder_of(event),
                                 .delay = 0us,
                                 .reason = "RELEASED"};
    (void)watched.settle(settlements);
    (void)watched.extend({&held, 1}, 30s);
    (void)watched.release_claims({&released, 1});
    EXPECT_THAT(counted.conflicts,
                ElementsAre(Pair("extend", 1), Pair("release", 1), Pair("settle", 2)));
}

class ObservedWorkers : public PullWorkers {
protected:
    CountingStorageObserver counted;
    ObservedStorage watched{{.store = store,
                             .queue = queue,
                             .pull_queue = pull_queue,
                             .monotonic = monotonic,
                             .observer = counted,
                             .log = log}};
    SettlePulled settle{{.store = watched,
                         .queue = watched,
                         .random = random,
                         .log = log,
                         .observer = observer,
                         .wakeups = wakeups}};
};

/// Some are refused by the queue, others before it is asked.
TEST_F(ObservedWorkers, CountTheirLateReports) {
    a_due_event();
    const Event held = pulled_one();
    const std::string id = to_string(held.id);
    EXPECT_FALSE(settle.complete(id, stale));
    EXPECT_FALSE(settle.extend(id, stale, 30s));
    pass(31s);
    const Event again = pulled_one("w-2");
    EXPECT_FALSE(settle.complete(id, held.version));
    EXPECT_THAT(counted.conflicts, ElementsAre(Pair("extend", 1), Pair("settle", 2)));
    EXPECT_TRUE(settle.complete(id, again.version));
    EXPECT_TRUE(settle.complete(id, again.version));  // the first response was lost
    EXPECT_FALSE(settle.fail(id, again.version, {.reason = "no paper"}));
    EXPECT_FALSE(settle.release(id, again.version));
    EXPECT_FALSE(settle.extend(id, again.version, 30s));
    EXPECT_THAT(counted.conflicts,
                ElementsAre(Pair("extend", 2), Pair("release", 1), Pair("settle", 3)));
}

TEST_F(Observed, ReportsTheDurationOfEachCall) {
    watched.transact([&](Transaction&) { return monotonic.time += 3ms, true; });
    watched.read([&](Transaction&) { monotonic.time += 5ms; });
    EXPECT_THROW(watched.transact([&](Transaction&) -> bool {
        monotonic.time += 7ms;
        throw std::domain_error{"mine"};
    }),
                 std::domain_error);
    (void)watched.peek(all_lanes);
    EXPECT_THAT(counted.queries, ElementsAre(std::pair{"transact", 3ms}, std::pair{"read", 5ms},
                                             std::pair{"transact", 7ms}, std::pair{"look", 0ms}));
}

TEST_F(Observed, SkippedOccurrencesAreCountedByReasonOnceTheyAreKept) {
    const auto skip = [&](std::string reason, std::uint64_t count, bool keep) {
        const SkippedRun run{.id = ids.fresh(),
                             .schedule = ScheduleId{ids.fresh()},
                             .user = std::nullopt,
                             .reason = std::move(reason),
                             .first = noon,
                             .last = noon + 1h,
                             .count = count,
                             .next = std::nullopt,
                             .recorded_at = noon};
        watched.transact([&](Transaction& tx) {
            tx.skips().add(run);
            return keep;
        });
    };
    skip("window", 3, true);
    skip("window", 2, true);
    skip("gap_skipped", 1, true);
    skip("paused", 7, false);
    EXPECT_THAT(counted.skipped_for, ElementsAre(Pair("gap_skipped", 1), Pair("window", 5)));
}

}  // namespace
}  // namespace sundial
