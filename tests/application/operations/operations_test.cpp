#include "application/operations/operations.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "application/ports/failures.hpp"
#include "application/schedules/replan_schedule.hpp"
#include "support/control_plane.hpp"

namespace sundial {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t batch_size = 10;

/// Works through rows 0, 1, 2, … and records each one once it is committed.
struct Rows {
    std::uint64_t count = 35;
    std::uint64_t unfit = 0;  // multiples of this number fail; 0: none
    std::chrono::microseconds pause{0};
    std::vector<std::uint64_t> done;
    std::function<void(Transaction&)> during = [](Transaction&) {};
    std::function<void()> after = [] {};
};
OperationFailure failure_of(std::uint64_t row) {
    return {OperationSubject::event, uuid_of(row), "UNFIT", "row " + std::to_string(row)};
}
class RowsTask final : public OperationTask {
public:
    explicit RowsTask(Rows& rows) : rows_(rows) {}
    std::uint64_t count(Transaction&, const Operation&) override { return rows_.count; }
    Batch run(Transaction& tx, const Operation& operation) override {
        rows_.during(tx);
        next_.clear();
        Batch batch;
        auto row = operation.cursor ? std::stoull(*operation.cursor) + 1 : 0;
        const auto end = std::min<std::uint64_t>(rows_.count, row + batch_size);
        for (; row < end; ++row) {
            batch.cursor = std::to_string(row);
            if (rows_.unfit > 0 && row % rows_.unfit == 0) {
                batch.failures.push_back(failure_of(row));
                continue;
            }
            next_.push_back(row);
            ++batch.done;
        }
        batch.last = row == rows_.count;
        batch.pause = rows_.pause;
        return batch;
    }
    void committed() override {
        rows_.done.insert(rows_.done.end(), next_.begin(), next_.end());
        rows_.after();
    }

private:
    Rows& rows_;
    std::vector<std::uint64_t> next_;
};

class OperationsTest : public ControlPlane {
protected:
    std::unique_ptr<Operations> an_instance(InstanceId instance,
                                            std::chrono::milliseconds check_interval = 1ms) {
        const auto make = [this](const Operation&) { return std::make_unique<RowsTask>(rows); };
        return std::make_unique<Operations>(
            OperationSettings{.instance = instance, .lease = 30s, .check_interval = check_interval},
            Operations::Ports{store, ids, wakeups, monotonic, log, make});
    }
    Operation started() {
        Operation operation = an_operation();
        write([&](Transaction& tx) {
            const auto birthday = tx.schedules().id_of("birthday").value();
            operation = here->start(tx, OperationKind::replan_schedule,
                                    tx.schedules().find(birthday).value());
        });
        return operation;
    }
    /// Not claimed by an instance.
    Operation given() {
        const Operation operation = an_operation();
        write([&](Transaction& tx) { tx.operations().add(operation); });
        return operation;
    }
    Operation now_of(const Operation& operation) {
        return queries.operation(to_string(operation.id)).value();
    }
    [[nodiscard]] std::vector<std::uint64_t> first(std::uint64_t count) const {
        std::vector<std::uint64_t> all;
        for (std::uint64_t row = 0; row < count; ++row) all.push_back(row);
        return all;
    }

    Rows rows;
    std::unique_ptr<Operations> here = an_instance(instance_a);
    std::unique_ptr<Operations> there = an_instance(instance_b);
};

TEST_F(OperationsTest, AreStartedInTheTransactionOfTheirEdit) {
    write([&](Transaction& tx) {
        const Schedule schedule = tx.schedules().find(*tx.schedules().id_of("birthday")).value();
        const Operation operation = here->start(tx, OperationKind::plan_schedule, schedule);
        EXPECT_EQ(tx.operations().find(operation.id), operation);
        EXPECT_EQ(operation.schedule, schedule.id);
        EXPECT_EQ(operation.schedule_version, schedule.version);
        EXPECT_EQ(operation.held_by, instance_a);
    });
}

TEST_F(OperationsTest, FinishSmallWorkBeforeTheAnswer) {
    rows.count = 10;
    const Operation over = here->begin(started());
    EXPECT_EQ(over.status, OperationStatus::completed);
    EXPECT_EQ(over, now_of(over));
    EXPECT_THAT(rows.done, ElementsAreArray(first(10)));
}

TEST_F(OperationsTest, ContinueOnTheFirstFreeInstance) {
    const Operation begun = here->begin(started());
    EXPECT_EQ(begun.status, OperationStatus::running);
    EXPECT_FALSE(begun.held_by);
    EXPECT_EQ(begun.total, 35U);
    EXPECT_EQ(begun.done, 30U);  // three batches
    there->drain();
    EXPECT_EQ(now_of(begun).status, OperationStatus::completed);
    EXPECT_EQ(now_of(begun).done, 35U);
    EXPECT_THAT(rows.done, ElementsAreArray(first(35)));
}

TEST_F(OperationsTest, LeaveOperationsOfOtherInstancesAlone) {
    const Operation held = started();
    there->drain();
    EXPECT_THAT(rows.done, IsEmpty());
    clock.advance(30s);
    there->drain();
    EXPECT_EQ(now_of(held).status, OperationStatus::completed);
}

TEST_F(OperationsTest, HandleEachRowOnceIfALeaseExpires) {
    const Operation operation = given();
    rows.after = [&] {
        rows.after = [] {};
        clock.advance(31s);  // this instance was frozen
        there->drain();
    };
    here->drain();
    EXPECT_EQ(now_of(operation).done, 35U);
    EXPECT_THAT(rows.done, ElementsAreArray(first(35)));
}

TEST_F(OperationsTest, ContinueAfterTheDeathOfAProcess) {
    const Operation operation = given();
    rows.during = [&](Transaction&) {
        if (rows.done.size() == 20) throw Unavailable("killed");
    };
    EXPECT_THROW(here->drain(), Unavailable);
    EXPECT_EQ(now_of(operation).status, OperationStatus::running);
    EXPECT_EQ(now_of(operation).done, 20U);
    rows.during = [](Transaction&) {};
    there->drain();
    EXPECT_EQ(rows.done.size(), 20U);
    clock.advance(30s);
    there->drain();
    EXPECT_THAT(rows.done, ElementsAreArray(first(35)));
    EXPECT_EQ(now_of(operation).status, OperationStatus::completed);
}

TEST_F(OperationsTest, AreStartedAndReportedIfTheDatabaseFailsInTheFirstBatch) {
    const Operation operation = started();
    rows.during = [](Transaction&) { throw Unavailable("gone"); };
    EXPECT_EQ(here->begin(operation).status, OperationStatus::running);
    EXPECT_EQ(log.lines().back().message, "operations wait: gone");
    rows.during = [](Transaction&) {};
    clock.advance(30s);
    there->drain();
    EXPECT_THAT(rows.done, ElementsAreArray(first(35)));
    EXPECT_EQ(now_of(operation).status, OperationStatus::completed);
}

TEST_F(OperationsTest, StopAfterTheBatchUnderWay) {
    const Operation operation = given();
    rows.after = [&] {
        const auto stopped = here->stop(to_string(operation.id), std::nullopt, "req-1");
        EXPECT_EQ(stopped->status, OperationStatus::stopped);
        EXPECT_EQ(stopped->done, 10U);
    };
    here->drain();
    EXPECT_THAT(rows.done, ElementsAreArray(first(10)));
    EXPECT_EQ(now_of(operation).reason, "stopped by request");
    EXPECT_EQ(now_of(operation).finished_at, clock.now());
}

TEST_F(OperationsTest, NeverChangeOnceFinished) {
    const Operation operation = given();
    here->drain();
    const Operation over = now_of(operation);
    const auto stopped = here->stop(to_string(operation.id), std::nullopt, "req-1");
    EXPECT_EQ(stopped.value(), over);
    EXPECT_EQ(now_of(operation), over);
}

TEST_F(OperationsTest, RefuseToStopUnknownOrChangedOperations) {
    EXPECT_TRUE(fails_with<NotFound>(here->stop("nothing", std::nullopt, "req-1")));
    EXPECT_TRUE(
        fails_with<NotFound>(here->stop(to_string(an_id<OperationId>()), std::nullopt, "req-1")));
    const Operation operation = given();
    EXPECT_TRUE(
        fails_with<OptimisticLock>(here->stop(to_string(operation.id), Version{2}, "req-1")));
    EXPECT_EQ(now_of(operation), operation);
}

TEST_F(OperationsTest, KeepAReasonThatEveryDatabaseCanStore) {
    const Operation operation = given();
    rows.during = [](Transaction&) { throw std::runtime_error("\xff" + std::string(5'000, 'x')); };
    here->drain();
    EXPECT_EQ(now_of(operation).reason, "\uFFFD" + std::string(999, 'x'));
}

TEST_F(OperationsTest, FailWithTheReasonWhenTheirWorkThrows) {
    const Operation operation = given();
    rows.during = [](Transaction&) { throw std::runtime_error("a row that cannot be read"); };
    here->drain();
    EXPECT_EQ(now_of(operation).status, OperationStatus::failed);
    EXPECT_EQ(now_of(operation).reason, "a row that cannot be read");
    EXPECT_THAT(log.lines(), Contains(Field(&base::LogLine::level, base::LogLevel::error)));
}

TEST_F(OperationsTest, AreReleasedWhenTheProcessStops) {
    const Operation operation = given();
    rows.after = [&] { here->shut_down(); };
    here->run();  // returns
    EXPECT_THAT(rows.done, ElementsAreArray(first(10)));
    EXPECT_FALSE(now_of(operation).held_by);
    there->drain();
    EXPECT_THAT(rows.done, ElementsAreArray(first(35)));
}

TEST_F(OperationsTest, AreContinuedByTheirThread) {
    std::thread thread([&] { here->run(); });
    const Operation begun = here->begin(started());
    here->drain();
    EXPECT_EQ(now_of(begun).status, OperationStatus::completed);
    EXPECT_EQ(now_of(begun).done, 35U);
    here->shut_down();
    thread.join();
}

TEST_F(OperationsTest, AreCountedWhileTheyRun) {
    const Operation operation = given();
    EXPECT_THAT(here->running(), ElementsAre(testing::Pair(OperationKind::replan_schedule, 1U)));
    here->drain();
    EXPECT_THAT(here->running(), IsEmpty());
}

TEST_F(OperationsTest, StoreFailedItems) {
    rows.unfit = 7;
    const Operation operation = given();
    here->drain();
    EXPECT_EQ(now_of(operation).done, 30U);
    EXPECT_EQ(now_of(operation).failed, 5U);
    EXPECT_EQ(now_of(operation).total, 35U);
    const auto kept = in_read(store, [&](Transaction& tx) {
        return tx.operations().list_failures({operation.id, {}}).items;
    });
    EXPECT_THAT(kept,
                ElementsAre(NumberedFailure{1, failure_of(0)}, NumberedFailure{2, failure_of(7)},
                            NumberedFailure{3, failure_of(14)}, NumberedFailure{4, failure_of(21)},
                            NumberedFailure{5, failure_of(28)}));
}

TEST_F(OperationsTest, BoundTheNumberOfStoredFailures) {
    rows.count = max_failures_kept + 15;
    rows.unfit = 1;
    const Operation operation = given();
    here->drain();
    EXPECT_EQ(now_of(operation).failed, max_failures_kept + 15);
    OperationFailureQuery last{operation.id, {}};
    last.page.after = PageKey{std::to_string(max_failures_kept - 1), operation.id.value};
    const auto kept =
        in_read(store, [&](Transaction& tx) { return tx.operations().list_failures(last); });
    ASSERT_EQ(kept.items.size(), 1U);
    EXPECT_EQ(kept.items[0].number, max_failures_kept);
}

TEST_F(OperationsTest, PauseBetweenBatchesAndContinueOnAnyInstance) {
    rows.pause = 2s;
    const Operation begun = here->begin(started());
    EXPECT_EQ(begun.done, 10U);  // not three batches, because the pace is limited
    EXPECT_FALSE(begun.held_by);
    EXPECT_EQ(begun.claimable_at, clock.now() + 2s);
    EXPECT_EQ(here->next_at(), clock.now() + 2s);
    there->drain();
    EXPECT_EQ(now_of(begun).done, 10U);
    clock.advance(2s);
    there->drain();
    EXPECT_EQ(now_of(begun).done, 20U);
    clock.advance(1s);
    here->drain();
    EXPECT_EQ(now_of(begun).done, 20U);
    clock.advance(1s);
    here->drain();
    clock.advance(2s);
    there->drain();
    EXPECT_EQ(now_of(begun).status, OperationStatus::completed);
    EXPECT_THAT(rows.done, ElementsAreArray(first(35)));
    EXPECT_EQ(here->next_at(), never);
}

TEST_F(OperationsTest, AreStoppedWhileTheyPause) {
    rows.pause = 2s;
    const Operation begun = here->begin(started());
    EXPECT_EQ(here->stop(to_string(begun.id), std::nullopt, "req-1")->status,
              OperationStatus::stopped);
    clock.advance(2s);
    here->drain();
    EXPECT_EQ(now_of(begun).done, 10U);
}

TEST_F(OperationsTest, ContinueExactlyAtTheEndOfTheirPause) {
    rows.pause = 1ms;
    const Operation begun = here->begin(started());
    const auto patient = an_instance(instance_b, 1h);
    std::thread thread([&] { patient->run(); });
    while (!is_over(now_of(begun))) clock.advance(1ms);
    patient->shut_down();
    thread.join();
    EXPECT_THAT(rows.done, ElementsAreArray(first(35)));
}

TEST_F(OperationsTest, OfBulkRequestsAreBounded) {
    const auto start = [&] {
        return in_transaction(store,
                              [&](Transaction& tx) { return here->start_bulk(tx, "retry", 7); });
    };
    std::vector<Operation> running;
    for (std::size_t i = 0; i < max_bulk_operations; ++i) running.push_back(start().value());
    EXPECT_EQ(running[0].request, "retry");
    EXPECT_EQ(running[0].total, 7U);
    EXPECT_EQ(now_of(running[0]), running[0]);
    EXPECT_TRUE(fails_with<TooManyOperations>(start()));
    EXPECT_TRUE(here->stop(to_string(running[2].id), std::nullopt, "req-1"));
    EXPECT_TRUE(start());
}

TEST_F(OperationsTest, LogTheirEnd) {
    const Operation operation = given();
    here->drain();
    const base::LogLine line = log.lines().back();
    EXPECT_THAT(line.message, HasSubstr("ended"));
    EXPECT_THAT(line.fields,
                Contains(std::pair<std::string, base::LogLine::Value>{"done", std::int64_t{35}}));
    EXPECT_THAT(line.fields, Contains(std::pair<std::string, base::LogLine::Value>{
                                 "operationId", to_string(operation.id)}));
}

/// An edit of the birthday schedule that is interrupted.
class CutShortTest : public ControlPlane {
protected:
    static ScheduleFields at(std::string time) {
        return {.trigger = TriggerFields{.yearly = YearlyFields{.at = std::move(time)}}};
    }
    const ScheduleFields ten_o_clock = at("10:00");
    const ScheduleFields eleven_o_clock = at("11:00");
    /// The instance dies after the commit of a batch and before any other step.
    std::unique_ptr<Operations> a_dying_instance() {
        const auto make = [this](const Operation&) -> std::unique_ptr<OperationTask> {
            struct Dying final : OperationTask {
                explicit Dying(ReplanSchedule of) : task(std::move(of)) {}
                std::uint64_t count(Transaction& tx, const Operation& one) override {
                    return task.count(tx, one);
                }
                Batch run(Transaction& tx, const Operation& one) override {
                    return task.run(tx, one);
                }
                void committed() override { throw Unavailable("killed"); }
                ReplanSchedule task;
            };
            return std::make_unique<Dying>(ReplanSchedule{store, zones, ids, wakeups});
        };
        return std::make_unique<Operations>(
            OperationSettings{.instance = instance_b},
            Operations::Ports{store, ids, wakeups, monotonic, log, make});
    }
};

TEST_F(CutShortTest, AnEditIsFinishedByAnotherInstance) {
    std::vector<User> users;
    for (int i = 0; i < 450; ++i) users.push_back(created(ada()));
    const auto dying = a_dying_instance();
    EditSchedule edit{store, zones, ids, *dying};
    const auto edited = edit.run("ext:birthday", ten_o_clock, std::nullopt, "req-3");
    EXPECT_EQ(birthday().planned_version, Version{1});
    operations.drain();
    EXPECT_EQ(queries.operation(to_string(edited->operation->id))->status,
              OperationStatus::running);
    clock.advance(30s);
    operations.drain();
    for (const User& user : users) {
        EXPECT_EQ(pending_of(user).due,
                  std::chrono::sys_days{std::chrono::year{2027} / 1 / 6} + 9h);
    }
    EXPECT_EQ(birthday().planned_version, Version{2});
    EXPECT_EQ(queries.operation(to_string(edited->operation->id))->done,
              900U);  // events, then users
}

TEST_F(CutShortTest, NoOccurrenceIsLostThatANewRuleDrops) {
    const User user = created(born("1992-02-29", "Europe/Paris"));
    const Event before = pending_of(user);
    const auto dying = a_dying_instance();
    EditSchedule edit{store, zones, ids, *dying};
    ASSERT_TRUE(edit.run("ext:birthday", {.leap = LeapPolicy::skip}, std::nullopt, "req-3"));
    EXPECT_EQ(find(before), before);
    clock.advance(30s);
    operations.drain();
    EXPECT_EQ(std::get<Cancelled>(find(before).state).reason, "leap_skipped");
    EXPECT_EQ(pending_of(user).occurrence->nominal, Date{std::chrono::year{2028} / 2 / 29});
}

TEST_F(CutShortTest, ALaterEditSupersedesIt) {
    const User user = created(ada());
    const auto dying = a_dying_instance();
    EditSchedule edit{store, zones, ids, *dying};
    const auto first = edit.run("ext:birthday", ten_o_clock, std::nullopt, "req-3");
    edited_birthday(eleven_o_clock);
    clock.advance(30s);
    operations.drain();
    const Operation superseded = queries.operation(to_string(first->operation->id)).value();
    EXPECT_EQ(superseded.status, OperationStatus::stopped);
    EXPECT_THAT(superseded.reason.value(), HasSubstr("edited again"));
    EXPECT_EQ(pending_of(user).due, std::chrono::sys_days{std::chrono::year{2027} / 1 / 6} + 10h);
    EXPECT_EQ(birthday().planned_version, Version{3});
}

}  // namespace
}  // namespace sundial
