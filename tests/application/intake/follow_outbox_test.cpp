#include "application/intake/follow_outbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/control_plane.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// The application's table. Rows appear as its transactions commit.
class FakeOutbox final : public Outbox {
public:
    struct Table {
        std::map<std::int64_t, OutboxRow> rows;
        std::optional<std::int64_t> last_id;
        std::string failure{};  // not empty: the application's database is down
        std::size_t reads = 0;  // rows and gaps looked at
        std::function<void()> after_read, after_search;
    };
    explicit FakeOutbox(Table& table) : table_(table) {}

    OutboxPage read(std::span<const IdInterval> among, const OutboxLimits& limits) override {
        if (!table_.failure.empty()) throw Unavailable{table_.failure};
        OutboxPage page;
        page.last_id = table_.last_id;
        for (const IdInterval& gap : among) {
            ++table_.reads;
            for (auto row = table_.rows.lower_bound(gap.first);
                 row != table_.rows.end() && row->first <= gap.last; ++row) {
                ++table_.reads;
                page.rows.push_back(row->second);
                page.more = page.rows.size() == limits.rows;
                if (page.more) return finished(std::move(page));
            }
        }
        return finished(std::move(page));
    }
    std::vector<bool> has_rows(std::span<const IdInterval> ranges) override {
        std::vector<bool> found;
        for (const IdInterval& range : ranges) {
            const auto row = table_.rows.lower_bound(range.first);
            found.push_back(row != table_.rows.end() && row->first <= range.last);
        }
        if (const auto act = std::exchange(table_.after_search, nullptr)) act();
        return found;
    }

private:
    OutboxPage finished(OutboxPage page) {
        if (table_.after_read) table_.after_read();
        return page;
    }
    Table& table_;
};

/// Reads "TYPE" or "TYPE key" as an event, a zone as a user, a cron expression as a schedule.
class FakeRequests final : public WrittenRequests {
public:
    base::Result<NewEvent, Refusal> event(const std::string& text) const override {
        if (text == "throws") throw std::runtime_error{"a bug"};
        if (text == "broken") return Refusal{"MALFORMED_JSON", "at byte 0", {}};
        if (text == "quoted") {
            return refusal_of(ValidationFailed{
                {{"/eventType", "bad_format", std::string{"'a\0b' is not a type", 19}}}});
        }
        NewEvent event;
        const auto blank = text.find(' ');
        event.event_type = text.substr(0, blank);
        if (blank != std::string::npos) event.idempotency_key = text.substr(blank + 1);
        event.target.utc = "now+1h";
        return event;
    }
    base::Result<ScheduleFields, Refusal> schedule(const std::string& text) const override {
        ScheduleFields fields;
        fields.external_id = "nightly";
        fields.event_type = "REPORT";
        fields.timezone = std::optional<std::string>{"UTC"};
        fields.trigger = TriggerFields{.cron = text};
        return fields;
    }
    base::Result<UserFields, Refusal> user(const std::string& text) const override {
        return UserFields{.external_id = "crm-7",
                          .first_name = "Ada",
                          .last_name = "Li",
                          .date_of_birth = "1992-01-06",
                          .timezone = text};
    }
};

class FollowOutboxTest : public ControlPlane {
protected:
    FollowOutbox follower(InstanceId instance, bool alone = false) {
        return FollowOutbox{{"orders", "memory", std::make_unique<FakeOutbox>(table)},
                            instance,
                            alone,
                            {.store = store,
                             .requests = requests,
                             .schedule_event = schedule_event,
                             .create_schedule = create_schedule,
                             .put_schedule = put_schedule,
                             .create_user = create_user,
                             .put_user = put_user,
                             .monotonic = monotonic,
                             .log = log}};
    }
    void commit(std::int64_t id, std::string request, std::string kind = "event") {
        table.rows[id] = {.id = id, .kind = std::move(kind), .request = std::move(request)};
    }
    void commit_many(std::int64_t from, std::int64_t to, std::int64_t step = 1) {
        for (std::int64_t id = from; id <= to; id += step) commit(id, "REMINDER");
    }
    static void look_at_all(FollowOutbox& outbox) {
        while (outbox.look()) {
        }
    }
    std::multiset<std::string> keys() {
        EventQuery all;
        all.page.limit = 10'000;
        std::multiset<std::string> found;
        for (const Event& event : queries.events(all).items) found.insert(event.key.value);
        return found;
    }
    OutboxState state() { return queries.intakes(std::nullopt, 1).page.items.at(0); }
    std::vector<RefusedRow> refused() {
        return queries.refused_rows("orders", std::nullopt, 100).items;
    }
    std::vector<IdInterval> taken() {
        std::vector<IdInterval> ids;
        for (const auto& range : queries.taken_ranges("orders", std::nullopt, 10'000).items) {
            ids.push_back(range.ids);
        }
        return ids;
    }

    FakeOutbox::Table table;
    FakeRequests requests;
    FollowOutbox orders = follower(instance_a);
};

TEST_F(FollowOutboxTest, SchedulesEachRowOnceUnderItsOwnKey) {
    commit(1, "REMINDER");
    commit(2, "REMINDER order-2");
    look_at_all(orders);
    look_at_all(orders);
    EXPECT_THAT(keys(), ElementsAre("order-2", "outbox-orders-1"));
    EXPECT_EQ(state().taken, 2U);
    EXPECT_EQ(state().last_id, 2);
    EXPECT_EQ(state().failure, "");
    EXPECT_THAT(taken(), ElementsAre(IdInterval{1, 2}));
}

TEST_F(FollowOutboxTest, FindsRowsThatCommitOutOfOrder) {
    commit(5, "REMINDER");
    look_at_all(orders);
    commit(2, "REMINDER");
    commit(-7, "REMINDER");
    commit(4, "REMINDER");
    look_at_all(orders);
    EXPECT_THAT(keys(), ElementsAre("outbox-orders--7", "outbox-orders-2", "outbox-orders-4",
                                    "outbox-orders-5"));
    EXPECT_THAT(taken(), ElementsAre(IdInterval{-7, -7}, IdInterval{2, 2}, IdInterval{4, 5}));
}

TEST_F(FollowOutboxTest, ReadsABacklogInBatches) {
    commit_many(1, 1234);
    EXPECT_TRUE(orders.look());
    EXPECT_EQ(state().taken, 500U);
    look_at_all(orders);
    EXPECT_THAT(keys(), SizeIs(1234));
    EXPECT_THAT(taken(), ElementsAre(IdInterval{1, 1234}));
}

TEST_F(FollowOutboxTest, DoesNotReadTakenRowsAgainHoweverManyTheApplicationKeeps) {
    commit_many(1, 3000);
    look_at_all(orders);
    table.reads = 0;
    look_at_all(orders);
    EXPECT_LE(table.reads, 2U);  // the gaps before and behind the taken rows
    commit(3001, "REMINDER");
    look_at_all(orders);
    EXPECT_LE(table.reads, 10U);
}

TEST_F(FollowOutboxTest, LooksAtABoundedNumberOfGapsAndReachesEachInTurn) {
    commit_many(2, 4000, 2);  // 2000 rows with a gap between any two
    look_at_all(orders);
    EXPECT_THAT(taken(), SizeIs(2000));
    commit(3, "LATE");     // an old gap
    commit(3999, "LATE");  // a new one
    table.reads = 0;
    (void)orders.look();
    EXPECT_LE(table.reads, 1100U);
    EXPECT_TRUE(keys().contains("outbox-orders-3999"));
    for (int i = 0; i < 5 && !keys().contains("outbox-orders-3"); ++i) (void)orders.look();
    EXPECT_TRUE(keys().contains("outbox-orders-3"));
}

TEST_F(FollowOutboxTest, ReportsARefusedRowAsTheApiWouldAndGoesOn) {
    commit(1, "not-a-type!");
    commit(2, "broken");
    commit(3, "REMINDER", "refund");
    table.rows[4] = {.id = 4, .kind = "event"};
    table.rows[5] = {.id = 5, .too_large = true};
    commit(6, "0 25 * * *", "schedule");
    commit(7, "REMINDER");
    look_at_all(orders);
    EXPECT_THAT(keys(), ElementsAre("outbox-orders-7"));
    const auto rows = refused();
    ASSERT_THAT(rows, SizeIs(6));
    EXPECT_EQ(rows[0].code, "VALIDATION_FAILED");
    EXPECT_THAT(rows[0].errors, HasSubstr(R"("pointer":"/eventType")"));
    EXPECT_EQ(rows[1].code, "MALFORMED_JSON");
    EXPECT_THAT(rows[2].errors, HasSubstr(R"("pointer":"/kind")"));
    EXPECT_EQ(rows[2].kind, "");
    EXPECT_THAT(rows[3].errors, HasSubstr(R"("pointer":"/request")"));
    EXPECT_EQ(rows[4].code, "PAYLOAD_TOO_LARGE");
    EXPECT_THAT(rows[5].errors, HasSubstr(R"("pointer":"/trigger/cron")"));
    EXPECT_EQ(state().taken, 7U);
    EXPECT_EQ(state().refused, 6U);
}

TEST_F(FollowOutboxTest, StoresNoCharacterOfARefusedRowThatADatabaseRefuses) {
    commit(1, "quoted");
    look_at_all(orders);
    ASSERT_THAT(refused(), SizeIs(1));
    EXPECT_THAT(refused()[0].errors, HasSubstr("'a b' is not a type"));
    EXPECT_THAT(refused()[0].detail, Not(HasSubstr(std::string(1, '\0'))));
}

TEST_F(FollowOutboxTest, RecordsNoPasswordOfALostSource) {
    table.failure = "cannot connect to postgresql://orders:geheim@shop/orders";
    EXPECT_THROW((void)orders.look(), Unavailable);
    EXPECT_EQ(state().failure, "cannot connect to postgresql://orders:***@shop/orders");
}

TEST_F(FollowOutboxTest, RefusesARowWhoseRequestFailsAndTakesTheOthers) {
    commit(1, "REMINDER");
    commit(2, "throws");
    commit(3, "REMINDER");
    look_at_all(orders);
    EXPECT_THAT(keys(), ElementsAre("outbox-orders-1", "outbox-orders-3"));
    ASSERT_THAT(refused(), SizeIs(1));
    EXPECT_EQ(refused()[0].code, "INTERNAL_ERROR");
    EXPECT_THAT(taken(), ElementsAre(IdInterval{1, 3}));
}

TEST_F(FollowOutboxTest, ReportsAKeyThatAnotherEventHas) {
    commit(1, "REMINDER order-1");
    commit(2, "REMINDER order-1");
    look_at_all(orders);
    ASSERT_THAT(refused(), SizeIs(1));
    EXPECT_EQ(refused()[0].code, "DUPLICATE_IDEMPOTENCY_KEY");
    EXPECT_EQ(refused()[0].id, 2);
}

TEST_F(FollowOutboxTest, CountsARowAsTakenIfItsOwnKeyIsTaken) {
    NewEvent before = a_reminder();
    before.idempotency_key = "outbox-orders-1";
    scheduled(before);
    commit(1, "REMINDER");
    look_at_all(orders);
    EXPECT_THAT(refused(), IsEmpty());
    EXPECT_THAT(keys(), SizeIs(1));
}

TEST_F(FollowOutboxTest, CreatesAndReplacesUsersAndSchedulesInTheOrderOfTheirRows) {
    commit(1, "Europe/Paris", "user");
    commit(2, "0 2 * * *", "schedule");
    commit(3, "0 3 * * *", "schedule");
    commit(4, "Asia/Kolkata", "user");
    look_at_all(orders);
    EXPECT_THAT(refused(), IsEmpty());
    EXPECT_EQ(queries.user("ext:crm-7").value().version, Version{2});
    const Schedule schedule = queries.schedule("ext:nightly").value().schedule;
    EXPECT_EQ(std::get<CronTrigger>(schedule.trigger).text, "0 3 * * *");
    EXPECT_EQ(store.recorded().back().metadata.actor, "outbox:orders");
}

TEST_F(FollowOutboxTest, TakesARowOnceIfAnotherInstanceTakesItMeanwhile) {
    FollowOutbox other = follower(instance_b, true);
    commit(1, "REMINDER");
    table.after_read = [&] {
        table.after_read = nullptr;
        look_at_all(other);
    };
    look_at_all(orders);
    EXPECT_THAT(keys(), SizeIs(1));
    EXPECT_EQ(state().taken, 1U);
}

TEST_F(FollowOutboxTest, LeavesTheOutboxToTheInstanceThatFollowsIt) {
    FollowOutbox other = follower(instance_b);
    look_at_all(orders);
    commit(1, "REMINDER");
    look_at_all(other);
    EXPECT_THAT(keys(), IsEmpty());
    EXPECT_EQ(state().followed_by, instance_a);

    orders.hand_over();
    look_at_all(other);
    EXPECT_THAT(keys(), SizeIs(1));
    EXPECT_EQ(state().followed_by, instance_b);
}

TEST_F(FollowOutboxTest, TakesOverFromAnInstanceThatStopsRenewing) {
    FollowOutbox other = follower(instance_b);
    look_at_all(orders);
    commit(1, "REMINDER");
    clock.advance(10s);
    look_at_all(other);
    EXPECT_THAT(keys(), SizeIs(1));
}

TEST_F(FollowOutboxTest, RecordsThatTheSourceIsLostAndThatItIsBack) {
    table.failure = "the application's database is down";
    EXPECT_THROW((void)orders.look(), Unavailable);
    EXPECT_THAT(state().failure, HasSubstr("is down"));
    clock.advance(5s);
    table.failure.clear();
    commit(1, "REMINDER");
    look_at_all(orders);
    EXPECT_EQ(state().failure, "");
    EXPECT_EQ(state().changed_at, noon + 5s);
    EXPECT_THAT(keys(), SizeIs(1));
}

TEST_F(FollowOutboxTest, RecordsALossAgainAfterAnotherInstanceFollowed) {
    FollowOutbox other = follower(instance_b);
    table.failure = "the application's database is down";
    EXPECT_THROW((void)orders.look(), Unavailable);
    orders.hand_over();
    table.failure.clear();
    look_at_all(other);
    EXPECT_EQ(state().failure, "");
    other.hand_over();
    table.failure = "the application's database is down";
    EXPECT_THROW((void)orders.look(), Unavailable);
    EXPECT_THAT(state().failure, HasSubstr("is down"));
}

TEST_F(FollowOutboxTest, ReportsATableWhoseIdsBeginAgain) {
    table.last_id = 9;
    commit(9, "REMINDER");
    look_at_all(orders);
    table.rows.clear();
    table.last_id = 1;
    commit(1, "REMINDER");
    EXPECT_THROW((void)orders.look(), Unavailable);
    EXPECT_THAT(state().failure, HasSubstr("gives out ids again"));
    EXPECT_THAT(keys(), SizeIs(1));
}

TEST_F(FollowOutboxTest, ForgetsARefusedRowThatTheApplicationDeleted) {
    commit(1, "broken");
    commit(2, "broken");
    look_at_all(orders);
    table.rows.erase(1);
    monotonic.time += 1h;
    look_at_all(orders);
    ASSERT_THAT(refused(), SizeIs(1));
    EXPECT_EQ(refused()[0].id, 2);
    EXPECT_EQ(state().refused, 2U);  // counts what has happened
}

TEST_F(FollowOutboxTest, ForgetsTakenRowsAWeekAfterTheApplicationDeletedThem) {
    commit_many(1, 9, 2);
    look_at_all(orders);
    table.rows.erase(3);
    table.rows.erase(9);
    clock.advance(6 * 24h);
    monotonic.time += 1h;
    look_at_all(orders);
    EXPECT_THAT(taken(), SizeIs(5));
    clock.advance(24h);
    monotonic.time += 1h;
    look_at_all(orders);
    // The greatest id stays, since it shows whether ids begin again.
    EXPECT_THAT(taken(), ElementsAre(IdInterval{1, 1}, IdInterval{5, 5}, IdInterval{7, 7},
                                     IdInterval{9, 9}));
    EXPECT_THAT(keys(), SizeIs(5));
}

TEST_F(FollowOutboxTest, KeepsARangeThatAnotherInstanceExtendsMeanwhile) {
    FollowOutbox other = follower(instance_b, true);
    commit_many(1, 2);
    commit_many(5, 6);
    commit(9, "REMINDER");
    look_at_all(orders);
    table.rows.clear();
    clock.advance(7 * 24h);
    monotonic.time += 1h;
    table.after_search = [&] {
        commit(3, "REMINDER");
        look_at_all(other);
    };
    look_at_all(orders);
    EXPECT_THAT(taken(), ElementsAre(IdInterval{1, 3}, IdInterval{9, 9}));
}

TEST_F(FollowOutboxTest, WatchesUntilItIsStopped) {
    commit(1, "REMINDER");
    IntakeSignal signal;
    table.after_read = [&] { signal.stop(); };
    orders.watch(signal, 1h);
    EXPECT_THAT(keys(), SizeIs(1));
}

}  // namespace
}  // namespace sundial
