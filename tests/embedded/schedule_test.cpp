#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sundial/engine.hpp"
#include "support/migrated_database.hpp"
#include "support/results.hpp"
#include "support/temporary_folder.hpp"

/// Tests schedules, lists and changes of events as an embedding program uses them: through the
/// public headers alone.
namespace {

using namespace std::chrono_literals;
using sundial::code_of;
using sundial::detail_of;
using sundial::Engine;
using sundial::Event;
using sundial::Handled;
using sundial::NewSchedule;
using sundial::Priority;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class SchedulerOnEach : public testing::TestWithParam<std::string> {
protected:
    SchedulerOnEach() {
        std::string storage = "memory:";
        if (GetParam() == "sqlite") storage = "sqlite:" + folder_.file().string();
        if (GetParam() == "postgres") {
            storage = sundial::migrated_database();
        }
        auto opened = Engine::open({.storage = storage, .test_clock = true});
        if (!opened) throw std::runtime_error(opened.error().detail);
        engine_.emplace(*std::move(opened));
    }
    Engine& engine() { return *engine_; }
    /// Counts the events of that type.
    void count(const std::string& type) {
        engine().on(type, [this](const Event&) {
            ++handled_;
            return Handled::done();
        });
    }

    std::atomic<int> handled_ = 0;

private:
    sundial::TemporaryFolder folder_;
    std::optional<Engine> engine_;
};

TEST_P(SchedulerOnEach, RunsSchedulesOfEveryKind) {
    count("REPORT");
    const std::vector<std::pair<std::string, sundial::Rule>> rules{
        {"cron", sundial::Cron{"0 * * * *"}},
        {"rrule", sundial::Rrule{"2020-01-01T00:30:00", "FREQ=HOURLY"}},
        {"every", sundial::Every{30min}},
    };
    for (const auto& [name, rule] : rules) {
        const auto made =
            engine().put_schedule({.name = name, .event_type = "REPORT", .rule = rule});
        ASSERT_TRUE(made) << name << ": " << detail_of(made);
        EXPECT_EQ(made->name, name);
        EXPECT_TRUE(made->next) << name;
    }
    ASSERT_TRUE(engine().advance(10h));
    EXPECT_EQ(handled_, 10 + 10 + 20);
    ASSERT_TRUE(engine().delete_schedule("every"));
    EXPECT_EQ(code_of(engine().find_schedule("every")), "SCHEDULE_NOT_FOUND");
    ASSERT_TRUE(engine().advance(10h));
    EXPECT_EQ(handled_, 40 + 20);
}

TEST_P(SchedulerOnEach, RunsAScheduleForEachUser) {
    count("ANNIVERSARY");
    const auto user = engine().create_user({"Ada", "Li", "1992-06-15", "Asia/Tokyo"});
    ASSERT_TRUE(user);
    const auto made = engine().put_schedule({.name = "half-birthday",
                                             .event_type = "ANNIVERSARY",
                                             .rule = sundial::Yearly{.on = "12-15", .at = "08:30"},
                                             .per_user = true,
                                             .payload = R"({"text":"Hey {firstName}"})"});
    ASSERT_TRUE(made) << detail_of(made);
    ASSERT_TRUE(engine().advance(366 * 24h));
    EXPECT_GE(handled_, 1);
    const auto done = engine().events({.statuses = {"COMPLETED"}, .types = {"ANNIVERSARY"}});
    ASSERT_TRUE(done) << detail_of(done);
    ASSERT_FALSE(done->events.empty());
    EXPECT_EQ(done->events[0].payload, R"({"text":"Hey Ada"})");
    const auto due = done->events[0].due;
    EXPECT_EQ(due - std::chrono::floor<std::chrono::days>(due), 23h + 30min);
}

TEST_P(SchedulerOnEach, ReplacesAScheduleOfTheSameName) {
    count("REPORT");
    NewSchedule schedule{
        .name = "report", .event_type = "REPORT", .rule = sundial::Cron{"0 * * * *"}};
    ASSERT_TRUE(engine().put_schedule(schedule));
    schedule.enabled = false;
    const auto paused = engine().put_schedule(schedule);
    ASSERT_TRUE(paused) << detail_of(paused);
    EXPECT_FALSE(paused->enabled);
    EXPECT_EQ(paused->next, std::nullopt);
    ASSERT_TRUE(engine().advance(3h));
    EXPECT_EQ(handled_, 0);
    schedule.enabled = true;
    ASSERT_TRUE(engine().put_schedule(schedule));
    const auto triggered = engine().trigger_schedule("report");
    ASSERT_TRUE(triggered) << detail_of(triggered);
    ASSERT_TRUE(engine().advance(1s));
    EXPECT_EQ(engine().find_event(triggered->id)->status, "COMPLETED");
}

TEST_P(SchedulerOnEach, PreviewsWhatAPolicyDoesToATime) {
    const NewSchedule schedule{.name = "night",
                               .event_type = "REPORT",
                               .rule = sundial::Rrule{"2040-03-24T02:30:00", "FREQ=DAILY;COUNT=3"},
                               .timezone = "Europe/Paris",
                               .gap = sundial::Gap::boundary};
    const auto preview = engine().preview(schedule, 3);
    ASSERT_TRUE(preview) << detail_of(preview);
    ASSERT_THAT(preview->occurrences, SizeIs(3));
    EXPECT_EQ(preview->occurrences[0].note, "");
    EXPECT_EQ(preview->occurrences[1].note, "gap_boundary");
    EXPECT_THAT(preview->occurrences[1].local, HasSubstr("03:00"));
    EXPECT_FALSE(preview->description.empty());
    EXPECT_EQ(code_of(engine().find_schedule("night")), "SCHEDULE_NOT_FOUND");
    const auto bad = engine().preview({.name = "x", .event_type = "X", .rule = sundial::Cron{"?"}});
    EXPECT_EQ(code_of(bad), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(engine().preview(schedule, 0)), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(engine().preview(schedule, 101)), "VALIDATION_FAILED");
}

TEST_P(SchedulerOnEach, StoresManyEventsOrNone) {
    const auto now = *engine().now();
    std::vector<sundial::NewEvent> all(100, {.type = "REMINDER", .at = now + 1h});
    const auto stored = engine().schedule_all(all);
    ASSERT_TRUE(stored) << detail_of(stored);
    EXPECT_THAT(*stored, SizeIs(100));
    all[50].type = "";
    EXPECT_EQ(code_of(engine().schedule_all(all)), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(engine().schedule_all(
                  std::vector<sundial::NewEvent>(1001, {.type = "REMINDER", .at = now}))),
              "VALIDATION_FAILED");
    EXPECT_THAT(*engine().schedule_all({}), IsEmpty());
    EXPECT_THAT(engine().events({.types = {"REMINDER"}}, {.limit = 500})->events, SizeIs(100));
}

TEST_P(SchedulerOnEach, ListsEveryEventOnceOverItsPages) {
    const auto now = *engine().now();
    std::vector<sundial::NewEvent> all;
    for (int i = 0; i < 25; ++i) all.push_back({.type = "REMINDER", .at = now + i / 2 * 1h});
    ASSERT_TRUE(engine().schedule_all(all));
    ASSERT_TRUE(engine().schedule({.type = "OTHER", .at = now + 3h}));
    for (const bool latest_first : {false, true}) {
        std::set<std::string> ids;
        std::vector<sundial::Instant> times;
        sundial::PageOptions page{.limit = 4, .latest_first = latest_first};
        do {
            const auto found = engine().events({.types = {"REMINDER"}}, page);
            ASSERT_TRUE(found) << detail_of(found);
            for (const Event& event : found->events) {
                EXPECT_TRUE(ids.insert(event.id).second);
                times.push_back(event.due);
            }
            page.after = found->next;
        } while (!page.after.empty());
        EXPECT_THAT(ids, SizeIs(25));
        if (latest_first) std::ranges::reverse(times);
        EXPECT_TRUE(std::ranges::is_sorted(times));
    }
    for (const char* cursor : {"x", "1 x", "9999999999999999999 ", " "}) {
        EXPECT_EQ(code_of(engine().events({}, {.after = cursor})), "INVALID_CURSOR") << cursor;
    }
    EXPECT_EQ(code_of(engine().events({}, {.limit = 0})), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(engine().events({}, {.limit = 501})), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(engine().events({.statuses = {"LOST"}})), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(engine().events({.schedule = "none"})), "SCHEDULE_NOT_FOUND");
    EXPECT_THAT(engine().events({.due_from = now + 1h, .due_to = now + 2h})->events, SizeIs(2));
}

TEST_P(SchedulerOnEach, ChangesAPendingEvent) {
    count("REMINDER");
    const auto now = *engine().now();
    const auto event =
        engine().schedule({.type = "REMINDER", .at = now + 1h, .priority = Priority::low});
    ASSERT_TRUE(event);
    EXPECT_EQ(event->priority, Priority::low);
    const auto moved = engine().change(
        event->id, {.at = now + 5h, .payload = R"({"n":2})", .priority = Priority::critical});
    ASSERT_TRUE(moved) << detail_of(moved);
    EXPECT_EQ(moved->due, now + 5h);
    EXPECT_EQ(moved->payload, R"({"n":2})");
    EXPECT_EQ(moved->priority, Priority::critical);
    EXPECT_EQ(*engine().advance(4h), 0U);
    EXPECT_EQ(*engine().advance(2h), 1U);
    EXPECT_EQ(code_of(engine().change(event->id, {.at = now + 9h})), "INVALID_STATE_TRANSITION");
}

TEST_P(SchedulerOnEach, ShowsWhyAnEventWaitsAndRetriesItAtOnce) {
    bool ready = false;
    engine().on("REMINDER",
                [&](const Event&) { return ready ? Handled::done() : Handled::retry("not now"); });
    const auto event = engine().schedule({.type = "REMINDER", .at = *engine().now()});
    ASSERT_TRUE(event);
    EXPECT_EQ(event->waiting_for, "");
    ASSERT_TRUE(engine().advance(1min));
    const auto waiting = engine().find_event(event->id);
    EXPECT_EQ(waiting->status, "PROCESSING");
    EXPECT_EQ(waiting->waiting_for, "RETRY");
    EXPECT_GT(waiting->retry_count, 3U);
    ASSERT_TRUE(waiting->next_attempt);
    EXPECT_GT(*waiting->next_attempt, *engine().now());
    ready = true;
    const auto retried = engine().retry(event->id);
    ASSERT_TRUE(retried) << detail_of(retried);
    EXPECT_EQ(retried->id, event->id);
    EXPECT_EQ(*engine().advance(1s), 1U);
}

TEST_P(SchedulerOnEach, RetriesAndDismissesDeadLetters) {
    bool ready = false;
    engine().on("REMINDER",
                [&](const Event&) { return ready ? Handled::done() : Handled::refuse("no"); });
    const auto now = *engine().now();
    const auto first = engine().schedule({.type = "REMINDER", .at = now});
    const auto second = engine().schedule({.type = "REMINDER", .at = now + 1s});
    ASSERT_TRUE(engine().advance(1min));
    const auto ids_of_dead = [&] {
        std::vector<std::string> ids;
        const auto dead = engine().events({.dead_letters = true});
        for (const Event& event : dead->events) ids.push_back(event.id);
        return ids;
    };
    EXPECT_THAT(ids_of_dead(), ElementsAre(first->id, second->id));
    ASSERT_TRUE(engine().dismiss(first->id));
    EXPECT_THAT(ids_of_dead(), ElementsAre(second->id));
    ready = true;
    const auto again = engine().retry(second->id);
    ASSERT_TRUE(again) << detail_of(again);
    EXPECT_NE(again->id, second->id);
    EXPECT_EQ(again->idempotency_key, second->idempotency_key);
    EXPECT_EQ(code_of(engine().retry(second->id)), "DUPLICATE_IDEMPOTENCY_KEY");
    EXPECT_EQ(*engine().advance(1s), 1U);
    EXPECT_THAT(ids_of_dead(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Embedded, SchedulerOnEach, testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
