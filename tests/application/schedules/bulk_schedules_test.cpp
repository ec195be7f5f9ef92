#include "application/schedules/bulk_schedules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "application/ports/failures.hpp"
#include "application/streams/append_to_stream.hpp"
#include "support/control_plane.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const Caller bulk_caller{"req-7", "key:7f3a9k2m1q"};

class BulkSchedulesTest : public ControlPlane {
protected:
    /// Each a moment after the one before.
    std::vector<Schedule> schedules(int count, std::vector<std::string> tags = {"night"}) {
        std::vector<Schedule> made;
        for (int i = 0; i < count; ++i) {
            ScheduleFields fields;
            fields.event_type = "JOB";
            fields.trigger = TriggerFields{.cron = "0 * * * *"};
            fields.timezone = "UTC";
            fields.tags = tags;
            made.push_back(create_schedule.run(fields, "req-1").value().schedule);
            clock.advance(1us);
        }
        return made;
    }
    static ScheduleBulkRequest to(ScheduleBulkAction action) {
        ScheduleBulkRequest request;
        request.action = action;
        request.filter.tag = "night";
        return request;
    }
    /// After it has ended.
    Operation done(const ScheduleBulkRequest& request) {
        const auto bulk = bulk_schedules.run({request, false}, bulk_caller).value();
        for (int turn = 0; turn < 100; ++turn) {
            clock.advance(1us);  // over the pause between two batches
            operations.drain();
            const auto now = queries.operation(to_string(bulk.operation->id)).value();
            if (is_over(now)) return now;
        }
        ADD_FAILURE() << "does not end";
        return *bulk.operation;
    }
    ScheduleBulk preview(const ScheduleBulkRequest& request) {
        return bulk_schedules.run({request, true}, bulk_caller).value();
    }
    std::optional<Schedule> now_of(const Schedule& schedule) {
        return in_read(store, [&](Transaction& tx) { return tx.schedules().find(schedule.id); });
    }
    std::vector<Event> events_of(const Schedule& schedule, EventStatus status) {
        EventQuery query;
        query.schedule = schedule.id;
        query.statuses = {status};
        return queries.events(query).items;
    }
    std::vector<std::string> refused_at(const ScheduleBulkRequest& request) {
        return defects_of(bulk_schedules.run({request, false}, bulk_caller));
    }

    BulkSchedules bulk_schedules{store, ids, operations};
};

TEST_F(BulkSchedulesTest, PausesThemAllAndParksTheirEvents) {
    const auto all = schedules(45);  // three batches
    const auto other = schedules(1, {"day"});
    ScheduleBulkRequest request = to(ScheduleBulkAction::pause);
    request.note = "the receiver moves";
    const Operation over = done(request);
    EXPECT_EQ(over.status, OperationStatus::completed);
    EXPECT_EQ(over.done, 45U);
    EXPECT_EQ(over.failed, 0U);
    for (const Schedule& schedule : all) {
        const Schedule paused = now_of(schedule).value();
        EXPECT_FALSE(paused.enabled);
        EXPECT_EQ(paused.note, request.note);
        EXPECT_EQ(paused.planned_version, paused.version);  // its own operation has ended
        ASSERT_THAT(events_of(schedule, EventStatus::pending), SizeIs(1));
        EXPECT_EQ(events_of(schedule, EventStatus::pending)[0].claimable_at, never);
    }
    EXPECT_TRUE(now_of(other[0])->enabled);
}

TEST_F(BulkSchedulesTest, ResumesOnlyPausedOnes) {
    const auto all = schedules(3);
    done(to(ScheduleBulkAction::pause));
    const auto enabled = schedules(2);
    EXPECT_EQ(preview(to(ScheduleBulkAction::resume)).count, 3U);
    EXPECT_EQ(done(to(ScheduleBulkAction::resume)).done, 3U);
    for (const Schedule& schedule : all) EXPECT_TRUE(now_of(schedule)->enabled);
    EXPECT_EQ(now_of(enabled[0])->version, enabled[0].version);
}

TEST_F(BulkSchedulesTest, NamesItsCallerInTheStreamOfEachSchedule) {
    const auto all = schedules(1);
    const Operation over = done(to(ScheduleBulkAction::pause));
    const auto recorded = in_read(store, [&](Transaction& tx) {
        return tx.streams().read({own_stream::schedule, to_string(all[0].id)}, {});
    });
    ASSERT_THAT(recorded, SizeIs(2));
    EXPECT_EQ(recorded[1].metadata.actor, bulk_caller.actor);
    EXPECT_EQ(recorded[1].metadata.correlation_id, bulk_caller.correlation_id);
    const auto audit = in_read(store, [&](Transaction& tx) {
        return tx.streams().read({own_stream::operation_audit, to_string(over.id)}, {});
    });
    ASSERT_THAT(audit, SizeIs(1));
    EXPECT_EQ(audit[0].data,
              R"({"resource":"schedules","action":"pause","tag":"night","ids":0,"total":1})");
}

TEST_F(BulkSchedulesTest, AddsAndRemovesTags) {
    const auto all = schedules(2, {"a", "night"});
    ScheduleBulkRequest request = to(ScheduleBulkAction::tag);
    request.add_tags = {"z", "b"};
    request.remove_tags = {"a"};
    EXPECT_EQ(done(request).done, 2U);
    EXPECT_THAT(now_of(all[0])->tags, ElementsAre("b", "night", "z"));
    EXPECT_THAT(now_of(all[1])->tags, ElementsAre("b", "night", "z"));
    // Tags change no event, so no event is planned again.
    EXPECT_EQ(now_of(all[0])->planned_version, now_of(all[0])->version);
}

TEST_F(BulkSchedulesTest, ReportsSchedulesThatWouldHaveTooManyTags) {
    std::vector<std::string> tags{"night"};
    for (int i = 1; i < 20; ++i) tags.push_back("tag-" + std::to_string(i));
    const auto full = schedules(1, tags);
    const auto other = schedules(1);
    ScheduleBulkRequest request = to(ScheduleBulkAction::tag);
    request.add_tags = {"one more"};
    const Operation over = done(request);
    EXPECT_EQ(over.done, 1U);
    EXPECT_EQ(over.failed, 1U);
    EXPECT_EQ(now_of(full[0])->version, full[0].version);
    EXPECT_THAT(now_of(other[0])->tags, ElementsAre("night", "one more"));
}

TEST_F(BulkSchedulesTest, DeletesThemWithTheirEvents) {
    const auto all = schedules(3);
    const auto other = schedules(1, {"day"});
    EXPECT_EQ(done(to(ScheduleBulkAction::remove)).done, 3U);
    for (const Schedule& schedule : all) {
        EXPECT_FALSE(now_of(schedule));
        EXPECT_THAT(events_of(schedule, EventStatus::pending), IsEmpty());
        EXPECT_THAT(events_of(schedule, EventStatus::cancelled), SizeIs(1));
    }
    EXPECT_TRUE(now_of(other[0]));
}

TEST_F(BulkSchedulesTest, GoesOnWithAScheduleThatHasManyEvents) {
    const auto all = schedules(2);
    for (std::size_t i = 0; i < 2 * batch_size + 5; ++i) {
        ASSERT_TRUE(trigger_schedule.run(to_string(all[0].id), {}, "req-2"));
    }
    EXPECT_EQ(done(to(ScheduleBulkAction::remove)).done, 2U);
    EXPECT_FALSE(now_of(all[0]));
    EXPECT_FALSE(now_of(all[1]));
    ScheduleBulkRequest by_id;
    by_id.action = ScheduleBulkAction::remove;
    const auto more = schedules(2);
    for (std::size_t i = 0; i < 2 * batch_size + 5; ++i) {
        ASSERT_TRUE(trigger_schedule.run(to_string(more[1].id), {}, "req-2"));
    }
    by_id.ids = {more[0].id, more[1].id};
    EXPECT_EQ(done(by_id).done, 2U);
    EXPECT_FALSE(now_of(more[1]));
}

TEST_F(BulkSchedulesTest, ChangesThoseWithGivenIdsAndReportsMissingOnes) {
    const auto all = schedules(3);
    ASSERT_TRUE(delete_schedule.run(to_string(all[1].id), std::nullopt, "req-2"));
    ScheduleBulkRequest request;
    request.action = ScheduleBulkAction::pause;
    for (const Schedule& schedule : all) request.ids.push_back(schedule.id);
    const Operation over = done(request);
    EXPECT_EQ(over.done, 2U);
    EXPECT_EQ(over.failed, 1U);
    const auto failures = queries.operation_failures(to_string(over.id), {}).value().items;
    ASSERT_THAT(failures, SizeIs(1));
    EXPECT_EQ(failures[0].failure.subject, OperationSubject::schedule);
    EXPECT_EQ(failures[0].failure.id, all[1].id.value);
}

TEST_F(BulkSchedulesTest, LeavesOutSchedulesThatAreCreatedLater) {
    schedules(21);
    const auto started = bulk_schedules.run({to(ScheduleBulkAction::pause), false}, bulk_caller);
    const auto later = schedules(1);
    for (int turn = 0; turn < 9; ++turn) {
        clock.advance(1us);
        operations.drain();
    }
    EXPECT_EQ(queries.operation(to_string(started->operation->id))->done, 21U);
    EXPECT_TRUE(now_of(later[0])->enabled);
}

TEST_F(BulkSchedulesTest, ADryRunCountsAndChangesNothing) {
    const auto all = schedules(7);
    const ScheduleBulk counted = preview(to(ScheduleBulkAction::pause));
    EXPECT_EQ(counted.count, 7U);
    EXPECT_THAT(counted.samples, SizeIs(5));
    EXPECT_FALSE(counted.operation);
    EXPECT_EQ(now_of(all[0])->version, all[0].version);
}

TEST_F(BulkSchedulesTest, RefusesRequestsThatDoNotFitTheAction) {
    EXPECT_THAT(refused_at({}), ElementsAre("/filter required"));
    ScheduleBulkRequest noted = to(ScheduleBulkAction::resume);
    noted.note = "why";
    EXPECT_THAT(refused_at(noted), ElementsAre("/note not_allowed"));
    EXPECT_THAT(refused_at(to(ScheduleBulkAction::tag)), ElementsAre("/addTags required"));
    ScheduleBulkRequest tagged = to(ScheduleBulkAction::pause);
    tagged.add_tags = {"x"};
    EXPECT_THAT(refused_at(tagged), ElementsAre("/addTags not_allowed"));
}

TEST(ScheduleBulkRequest, IsReadBackCompletely) {
    ScheduleBulkRequest request;
    request.action = ScheduleBulkAction::tag;
    request.ids = {an_id<ScheduleId>(), an_id<ScheduleId>()};
    request.filter.enabled = false;
    request.filter.per_user = true;
    request.filter.kinds = {TriggerKind::cron, TriggerKind::every};
    request.filter.types = {"A", "B"};
    request.filter.endpoint = an_id<EndpointId>();
    request.filter.prefix = "ni";
    request.filter.tag = "night \\ shift\n";
    request.note = "why";
    request.add_tags = {"x", "y"};
    request.remove_tags = {"z"};
    request.caller = bulk_caller;
    const std::string text = stored_schedule_bulk(request);
    EXPECT_TRUE(is_schedule_bulk(text));
    const ScheduleBulkRequest read = read_schedule_bulk(text);
    EXPECT_EQ(stored_schedule_bulk(read), text);
    EXPECT_EQ(read.ids, request.ids);
    EXPECT_EQ(read.filter.kinds, request.filter.kinds);
    EXPECT_EQ(read.filter.tag, request.filter.tag);
    EXPECT_EQ(read.caller.actor, request.caller.actor);
    EXPECT_THROW((void)read_schedule_bulk("resource schedules\naction burn\n"), Corrupt);
}

}  // namespace
}  // namespace sundial
