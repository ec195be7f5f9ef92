#include "application/observation/observed_storage.hpp"

#include <gmock/gmock.h>

#include <map>
#include <utility>
#include <vector>

#include "application/streams/append_to_stream.hpp"
#include "support/engine.hpp"
#include "support/fake_digest.hpp"

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
    std::map<std::pair<std::string, EventStatus>, std::size_t> transitions;
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
    EditEvent edit_one{watched, zones, wakeups};
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

TEST_F(Observed, CountsWhatPeopleCreate) {
    ASSERT_TRUE(create.run(ada(), "req-1"));
    ASSERT_TRUE(schedule.run(a_reminder()));
    ASSERT_TRUE(retry.run(to_string(a_failed_event().id), RetryKey::same));
    EXPECT_EQ(times("BIRTHDAY", EventStatus::pending), 1U);
    EXPECT_EQ(times("REMINDER", EventStatus::pending), 2U);
    EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(Observed, CountsNothingThatWasRefused) {
    NewEvent wanted = a_reminder();
    wanted.idempotency_key = "once";
    ASSERT_TRUE(schedule.run(wanted));
    ASSERT_FALSE(schedule.run(wanted));
    wanted.endpoint = "ext:nobody";
    ASSERT_FALSE(schedule.run(wanted));
    EXPECT_EQ(times("REMINDER", EventStatus::pending), 1U);
}

TEST_F(Observed, TellsNothingOfWhatWasRolledBack) {
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
    ASSERT_TRUE(cancel_one.run(to_string(event.id), std::nullopt));

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

TEST_F(Observed, LogsWhatIsCancelledWithItsUser) {
    const User user = created(ada());
    ASSERT_TRUE(remove.run(to_string(user.id), UserHistory::keep, std::nullopt, "req-1"));
    ASSERT_THAT(logged("event.cancelled"), SizeIs(1));
    EXPECT_EQ(text(logged("event.cancelled").at(0), "reason"), "user deleted");
    EXPECT_EQ(times("BIRTHDAY", EventStatus::cancelled), 1U);
}

TEST_F(Observed, LogsWhatMovesWithItsUserItsRuleOrByHand) {
    const User user = created(ada());
    UserEdit to_honolulu;
    to_honolulu.timezone = "Pacific/Honolulu";
    ASSERT_TRUE(edit.run(to_string(user.id), to_honolulu, std::nullopt, "req-1"));
    ScheduleFields later;
    later.trigger = TriggerFields{.yearly = YearlyFields{.at = "10:00"}};
    ASSERT_TRUE(edit_rule.run("ext:birthday", later, std::nullopt, "req-2"));
    EventEdit by_hand;
    by_hand.target.utc = "2027-01-07T00:00:00Z";
    ASSERT_TRUE(edit_one.run(to_string(pending_of(user).id), by_hand, std::nullopt));

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

TEST_F(Observed, IsSilentAboutWhatStaysAtItsMoment) {
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
    const Append wanted{.stream = {"Order", "1"},
                        .events = {{.event_id = uuid_of(1), .event_type = "Placed", .data = "1"}}};
    EXPECT_TRUE(append.run(wanted));
    EXPECT_EQ(woken, 1);
    EXPECT_EQ(in_read(store, [&](Transaction& tx) { return tx.streams().find(wanted.stream); }),
              StreamHead{});
    quick.open = false;
    EXPECT_TRUE(append.run(wanted));
    EXPECT_EQ(woken, 2);
    EXPECT_THAT(counted.appended_to, ElementsAre(Pair("Order", 1), Pair("Order", 1)));
    EXPECT_EQ(
        in_read(store, [&](Transaction& tx) { return tx.streams().find(wanted.stream); }).version,
        1U);
}

TEST_F(Observed, TellsHowLongEachCallTook) {
    watched.transact([&](Transaction&) { return monotonic.time += 3ms, true; });
    watched.read([&](Transaction&) { monotonic.time += 5ms; });
    EXPECT_THROW(watched.transact([&](Transaction&) -> bool {
        monotonic.time += 7ms;
        throw std::domain_error{"mine"};
    }),
                 std::domain_error);
    (void)watched.peek();
    EXPECT_THAT(counted.queries, ElementsAre(std::pair{"transact", 3ms}, std::pair{"read", 5ms},
                                             std::pair{"transact", 7ms}, std::pair{"look", 0ms}));
}

}  // namespace
}  // namespace sundial
