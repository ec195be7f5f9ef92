#include <gmock/gmock.h>

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "adapters/postgres/connection.hpp"
#include "application/events/cancel_event.hpp"
#include "application/events/edit_event.hpp"
#include "application/events/retry_event.hpp"
#include "application/events/schedule_event.hpp"
#include "application/timezones/follow_tzdata.hpp"
#include "domain/time/text.hpp"
#include "domain/trace_context.hpp"
#include "sql_functions_fixture.hpp"
#include "support/builders.hpp"

namespace sundial::postgres {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

TEST_F(SqlFunctions, KeepTheTraceThatTheTransactionNames) {
    const std::string given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const auto scheduled_with = [&](const std::string& trace) {
        const SqlRows rows =
            sql("WITH named AS (SELECT set_config('sundial.traceparent', '" + trace +
                "', true)) SELECT sundial.schedule_event('REMINDER', now()) FROM named");
        return event(rows.at(0).at(0)).trace;
    };
    EXPECT_EQ(scheduled_with(given), parse_traceparent(given));
    EXPECT_FALSE(scheduled_with("no trace"));
    EXPECT_FALSE(scheduled_with(""));
    EXPECT_FALSE(event(value("sundial.schedule_event('REMINDER', now())")).trace);

    // In the history, and in a retry, even if that is requested in another trace.
    const auto id = sql("WITH named AS (SELECT set_config('sundial.traceparent', '" + given +
                        "', true)) SELECT sundial.schedule_event('REMINDER', now()) FROM named")
                        .at(0)
                        .at(0);
    EXPECT_EQ(value("sundial.cancel_event('" + id + "')"), "t");
    EXPECT_EQ(event(id).trace, parse_traceparent(given));
    sql("UPDATE sundial.event_history SET status = 'FAILED' WHERE id = '" + id + "'");
    EXPECT_EQ(event(value("sundial.retry_event('" + id + "')")).trace, parse_traceparent(given));
}

TEST_F(SqlFunctions, ScheduleEventStoresTheRowOfTheApi) {
    add_workers();
    const std::string id = value(
        "sundial.schedule_event('REMINDER', '2027-01-06T09:00:00Z', '{\"a\": 1}', 'w', "
        "idempotency_key => 'k-1', priority => 'HIGH')");
    ScheduleEvent schedule{storage.store(), instance.zones, instance.ids, instance.wakeups};
    const auto by_api = schedule.run({.event_type = "REMINDER",
                                      .priority = Priority::high,
                                      .endpoint = "ext:w",
                                      .target = {.utc = "2027-01-06T09:00:00Z"},
                                      .payload = "{\"a\": 1}",
                                      .idempotency_key = "k-2"});
    ASSERT_TRUE(by_api);
    Event stored = event(id);
    EXPECT_EQ(stored.key.value, "k-1");
    stored.id = by_api->id;
    stored.key = by_api->key;
    stored.tz_release = by_api->tz_release;
    EXPECT_EQ(stored, event(to_string(by_api->id)));
    EXPECT_EQ(sql("SELECT count(DISTINCT (version, pull, status, obstacle, claimable_at)) FROM "
                  "sundial.events"),
              SqlRows{{"1"}});
    // The key is that of the API, in both directions.
    EXPECT_THAT(refusal("sundial.schedule_event('X', now(), idempotency_key => 'k-2')"),
                HasSubstr("DUPLICATE_IDEMPOTENCY_KEY"));
    const auto again =
        schedule.run({.event_type = "X", .target = {.utc = "now"}, .idempotency_key = "k-1"});
    EXPECT_TRUE(is<DuplicateIdempotencyKey>(again));
}

TEST_F(SqlFunctions, TheIdHasTheLastByteOfTheKeysHash) {
    for (int i = 0; i < 20; ++i) {
        const std::string key = "key-" + std::to_string(i);
        const std::string id =
            value("sundial.schedule_event('X', sundial.clock(), idempotency_key => '" + key + "')");
        EXPECT_EQ(sql("SELECT right(encode(sha256('" + key +
                      "'), 'hex'), 2), shard::text FROM sundial.events WHERE id = '" + id + "'"),
                  (SqlRows{{id.substr(34), std::to_string(shard_of(event(id).id, 4))}}));
        EXPECT_EQ(id[14], '7');
    }
}

TEST_F(SqlFunctions, RefusesWhatTheApiRefuses) {
    for (const auto& [arguments, pointer, code] : std::vector<std::array<std::string, 3>>{
             {"'', sundial.clock()", "/eventType", "required"},
             {"'a b', sundial.clock()", "/eventType", "bad_format"},
             {"'sundial.x', sundial.clock()", "/eventType", "not_allowed"},
             {"'X', NULL", "/targetTimestampUTC", "required"},
             {"'X', 'infinity'", "/targetTimestampUTC", "out_of_range"},
             {"'X', sundial.clock() + interval '51 years'", "/targetTimestampUTC", "out_of_range"},
             {"'X', sundial.clock(), NULL", "/deliveryPayload", "required"},
             {"'X', sundial.clock(), to_jsonb(repeat('x', 262144))", "/deliveryPayload",
              "too_long"},
             {"'X', sundial.clock(), endpoint => 'none'", "/endpointId", "not_allowed"},
             {"'X', sundial.clock(), user_ext => 'none'", "/userId", "not_allowed"},
             {"'X', sundial.clock(), idempotency_key => 'a.b'", "/idempotencyKey", "bad_format"},
             {"'X', sundial.clock(), priority => 'URGENT'", "/priority", "bad_format"}}) {
        const std::string why = refusal("sundial.schedule_event(" + arguments + ")");
        EXPECT_THAT(why, HasSubstr("VALIDATION_FAILED")) << arguments;
        EXPECT_THAT(why, HasSubstr("\"pointer\": \"" + pointer + "\"")) << arguments;
        EXPECT_THAT(why, HasSubstr("\"code\": \"" + code + "\"")) << arguments;
    }
    EXPECT_THAT(live(), IsEmpty());
}

TEST_F(SqlFunctions, ALocalTimeGetsItsInstantFromTheServer) {
    const std::string id =
        value("sundial.schedule_local('WAKE', '2027-01-06 09:00', 'America/New_York')");
    Event before = event(id);
    EXPECT_FALSE(has_instant(before));
    EXPECT_EQ(waiting_for(before), std::nullopt);
    EXPECT_EQ(before.claimable_at, never);

    instance.intake.run();
    const Event after = event(id);
    EXPECT_TRUE(has_instant(after));
    EXPECT_EQ(after.due, noon + 26h);
    EXPECT_EQ(after.claimable_at, after.due);
    EXPECT_EQ(after.tz_release, "2025b");
    EXPECT_EQ(after.version, Version{2});
    EXPECT_THAT(instance.wakeups.hints, testing::Contains(after.due));
    EXPECT_EQ(value("count(*) FROM sundial.intake"), "0");
    instance.intake.run();
    EXPECT_EQ(event(id), after);
}

TEST_F(SqlFunctions, ALocalTimeWithoutAnInstantFails) {
    const std::string unknown = value(
        "sundial.schedule_local('WAKE', '2027-01-06 09:00', 'Mars/Base', idempotency_key => 'm')");
    instance.intake.run();
    const Event failed = event(unknown);
    ASSERT_EQ(status_of(failed), EventStatus::failed);
    EXPECT_THAT(std::get<Failed>(failed.state).reason, StartsWith("unknown_zone "));
    EXPECT_THAT(refusal("sundial.retry_event('" + unknown + "')"),
                HasSubstr("INVALID_STATE_TRANSITION"));
    RetryEvent retry{storage.store(), instance.ids, instance.wakeups};
    EXPECT_TRUE(is<InvalidStateTransition>(retry.run(unknown, RetryKey::same, "req-1")));
    // As for any failed event: once it is dismissed, its key is free.
    EXPECT_THAT(refusal("sundial.schedule_event('X', sundial.clock(), idempotency_key => 'm')"),
                HasSubstr("FAILED"));
    // Servers have stored their zones: a wrong one is refused at once.
    sql("INSERT INTO sundial.tz_fingerprints VALUES ('2025b', 'Europe/Paris', sundial.clock(), 1)");
    EXPECT_THAT(refusal("sundial.schedule_local('WAKE', '2027-01-06 09:00', 'Mars/Base')"),
                HasSubstr("unknown_zone"));
    EXPECT_EQ(refusal("sundial.schedule_local('WAKE', '2027-01-06 09:00', 'Europe/Paris')"),
              "accepted");
    EXPECT_THAT(refusal("sundial.schedule_local('WAKE', '2027-01-06 09:00', 'Europe/Paris', "
                        "overlap => 'both')"),
                HasSubstr("/overlap"));
}

TEST_F(SqlFunctions, AnEditOrACancellationBeforeTheServerWins) {
    const std::string edited =
        value("sundial.schedule_local('WAKE', '2027-01-06 09:00', 'Europe/Paris')");
    const std::string kept =
        value("sundial.schedule_local('WAKE', '2027-01-06 10:00', 'Europe/Paris')");
    const std::string cancelled =
        value("sundial.schedule_local('WAKE', '2027-01-06 11:00', 'Europe/Paris')");
    EditEvent edit{storage.store(), instance.zones, instance.ids, instance.wakeups};
    ASSERT_TRUE(
        edit.run(edited, {.target = {.utc = "2027-02-01T00:00:00Z"}}, std::nullopt, "req-1"));
    ASSERT_TRUE(edit.run(kept, {.payload = "{\"b\":2}"}, std::nullopt, "req-1"));
    EXPECT_EQ(event(kept).claimable_at, never);
    EXPECT_EQ(value("sundial.cancel_event('" + cancelled + "')"), "t");
    instance.intake.run();
    EXPECT_EQ(format_instant_millis(event(edited).claimable_at), "2027-02-01T00:00:00.000Z");
    EXPECT_EQ(event(kept).claimable_at, noon + 21h);
    EXPECT_EQ(event(kept).payload, "{\"b\":2}");
    EXPECT_EQ(status_of(event(cancelled)), EventStatus::cancelled);
}

TEST_F(SqlFunctions, AnotherTzDatabaseLeavesAnEventWithoutAnInstantToTheIntake) {
    const std::string id = value(
        "sundial.schedule_local('WAKE', '2027-01-06 09:00', 'America/New_York', gap => 'reject')");
    const Event before = event(id);
    FollowTzdata follow{storage.store(), instance.zones, ids, instance.wakeups};
    EXPECT_THAT(follow.run(Takeover::of_any).before, IsEmpty());
    EXPECT_EQ(event(id), before);
    instance.intake.run();
    EXPECT_TRUE(has_instant(event(id)));
}

TEST_F(SqlFunctions, CancelAndRetryFollowTheRulesOfKeys) {
    const std::string first = value(
        "sundial.schedule_event('X', sundial.clock() + interval '1 hour', idempotency_key => 'k')");
    EXPECT_EQ(value("sundial.cancel_event('" + first + "')"), "t");
    EXPECT_EQ(value("sundial.cancel_event('" + first + "')"), "f");
    EXPECT_THAT(refusal("sundial.retry_event('" + first + "')"),
                HasSubstr("INVALID_STATE_TRANSITION"));
    EXPECT_THAT(refusal("sundial.cancel_event('00000000-0000-7000-8000-000000000001')"),
                HasSubstr("EVENT_NOT_FOUND"));
    // A cancelled event of a caller frees its key.
    add_workers();
    const std::string second = value(
        "sundial.schedule_event('X', sundial.clock(), endpoint => 'w', idempotency_key => 'k')");
    const auto claimed = claim();
    ASSERT_THAT(claimed, SizeIs(1));
    EXPECT_THAT(refusal("sundial.cancel_event('" + second + "')"),
                HasSubstr("INVALID_STATE_TRANSITION"));
    EXPECT_EQ(value("sundial.fail('" + second + "', 2, 'broken', false)"), "t");
    ASSERT_EQ(status_of(event(second)), EventStatus::failed);

    const std::string third = value("sundial.retry_event('" + second + "')");
    const Event again = event(third);
    EXPECT_EQ(again.retry_of, event(second).id);
    EXPECT_EQ(again.key.value, "k");
    EXPECT_EQ(again.attempt, Attempt{1});
    EXPECT_EQ(third.substr(34), second.substr(34));
    EXPECT_TRUE(event(second).dismissed_at);
    EXPECT_THAT(refusal("sundial.retry_event('" + second + "')"), HasSubstr(third));
    const auto attempts = claim();
    ASSERT_THAT(attempts, SizeIs(1));
    EXPECT_EQ(attempts[0][2], "2");
}

TEST_F(SqlFunctions, RacingRetriesMakeOneEvent) {
    add_workers();
    const std::string failed = value(
        "sundial.schedule_event('X', sundial.clock(), endpoint => 'w', idempotency_key => 'k')");
    claim();
    value("sundial.fail('" + failed + "', 2, '', false)");
    std::array<std::string, 8> results;
    std::vector<std::jthread> threads;
    for (auto& result : results) {
        threads.emplace_back([&] { result = refusal("sundial.retry_event('" + failed + "')"); });
    }
    threads.clear();
    EXPECT_THAT(results, testing::Contains("accepted").Times(1));
    EXPECT_THAT(live(), SizeIs(1));
}

TEST_F(SqlFunctions, UsersArePlannedOnceAndMoved) {
    const std::string upsert = "sundial.upsert_user('u', 'Ada', 'Li', '1992-02-28', ";
    const std::string id = value(upsert + "'Europe/Paris')");
    EXPECT_EQ(value(upsert + "'America/New_York')"), id);
    EXPECT_EQ(value("count(*) FROM sundial.intake"), "1");
    instance.intake.run();
    ASSERT_THAT(live(), SizeIs(1));
    EXPECT_EQ(live()[0].intent.zone, "America/New_York");
    EXPECT_EQ(value(upsert + "'America/New_York')"), id);
    EXPECT_EQ(value("version FROM sundial.users"), "2");
    EXPECT_EQ(value("count(*) FROM sundial.intake"), "0");

    value(upsert + "'Europe/Paris')");
    value(upsert + "'Asia/Kolkata')");
    EXPECT_EQ(value("count(*) FROM sundial.intake"), "1");
    instance.intake.run();
    ASSERT_THAT(live(), SizeIs(1));
    EXPECT_EQ(live()[0].intent.zone, "Asia/Kolkata");
    EXPECT_EQ(sql("SELECT event_type, version, actor LIKE 'sql:%' FROM sundial.recorded_events "
                  "ORDER BY version"),
              (SqlRows{{"UserCreated", "1", "t"},
                       {"UserUpdated", "2", "t"},
                       {"UserUpdated", "3", "t"},
                       {"UserUpdated", "4", "t"}}));
    EXPECT_EQ(value("sundial.delete_user('u')"), "t");
    EXPECT_EQ(value("sundial.delete_user('u')"), "f");
    EXPECT_THAT(live(), IsEmpty());
    EXPECT_EQ(value("count(*) FROM sundial.recorded_events WHERE data IS NOT NULL"), "0");
}

TEST_F(SqlFunctions, AUserWithAnUnknownZoneIsReportedAndPlannedOnceItIsCorrected) {
    const std::string upsert = "sundial.upsert_user('u', 'Ada', 'Li', '1992-02-28', ";
    value(upsert + "'Mars/Base')");
    instance.intake.run();
    EXPECT_EQ(sql("SELECT status, code FROM sundial.v_intake"),
              (SqlRows{{"FAILED", "VALIDATION_FAILED"}}));
    value(upsert + "'Europe/Paris')");
    instance.intake.run();
    EXPECT_THAT(live(), SizeIs(1));
    EXPECT_EQ(value("count(*) FROM sundial.intake"), "0");
}

TEST_F(SqlFunctions, SchedulesAreThoseOfTheApi) {
    const std::string id =
        value("sundial.schedule_cron('nightly', '0 3 * * *', '{\"a\": 1}', 'Europe/Paris')");
    EXPECT_EQ(value("sundial.schedule_cron('nightly', '0 4 * * *', '{\"a\": 1}', 'Europe/Paris')"),
              id);
    instance.intake.run();
    EXPECT_EQ(sql("SELECT id, cron, version FROM sundial.schedules WHERE external_id = 'nightly'"),
              (SqlRows{{id, "0 4 * * *", "2"}}));
    ASSERT_THAT(live(), SizeIs(1));
    EXPECT_EQ(live()[0].due, noon + 15h);
    EXPECT_EQ(value("sundial.unschedule('nightly')"), "t");
    EXPECT_EQ(value("sundial.unschedule('nightly')"), "f");
    instance.intake.run();
    EXPECT_THAT(live(), IsEmpty());
    EXPECT_THAT(sql("SELECT FROM sundial.schedules WHERE external_id = 'nightly'"), IsEmpty());

    const std::string wrong = value("sundial.schedule_cron('never', '61 3 * * *')");
    instance.intake.run();
    EXPECT_EQ(sql("SELECT name, status, code FROM sundial.v_intake"),
              (SqlRows{{"never", "FAILED", "VALIDATION_FAILED"}}));
    value("sundial.schedule_cron('never', '1 3 * * *')");
    instance.intake.run();
    EXPECT_EQ(value("count(*) FROM sundial.intake"), "0");
    EXPECT_THAT(live(), SizeIs(1));
}

TEST_F(SqlFunctions, ARollbackLeavesNothing) {
    sql("BEGIN; SELECT sundial.schedule_local('WAKE', '2027-01-06 09:00', 'Europe/Paris'); "
        "SELECT sundial.upsert_user('u', 'Ada', 'Li', '1992-02-28', 'Europe/Paris'); "
        "SELECT sundial.schedule_cron('c', '* * * * *'); SELECT sundial.append('O', '1', 0, "
        "'[{\"eventType\": \"E\"}]'); ROLLBACK");
    for (const char* table :
         {"events", "event_keys", "users", "intake", "recorded_events", "streams"}) {
        EXPECT_EQ(value("count(*) FROM sundial." + std::string{table}), "0") << table;
    }
}

TEST_F(SqlFunctions, ManyInstancesDoEachRequestOnce) {
    sql("SELECT sundial.schedule_local('WAKE', '2027-01-06 09:00', 'Europe/Paris') FROM "
        "generate_series(1, 500)");
    for (int i = 0; i < 20; ++i) {
        value("sundial.upsert_user('u" + std::to_string(i) +
              "', 'Ada', 'Li', '1992-02-28', 'Europe/Paris')");
    }
    std::vector<std::unique_ptr<IntakeInstance>> instances;
    for (std::uint64_t i = 1; i <= 4; ++i) {
        instances.push_back(std::make_unique<IntakeInstance>(storage.store(), ids, i));
    }
    while (value("count(*) FROM sundial.intake") != "0") {
        std::vector<std::jthread> threads;
        for (auto& one : instances) threads.emplace_back([&] { one->intake.run(); });
    }
    EXPECT_EQ(value("count(*) FROM sundial.events WHERE wall IS NOT NULL AND schedule_id IS NULL "
                    "AND version = 2"),
              "500");
    EXPECT_EQ(value("count(*) FROM sundial.events WHERE schedule_id IS NOT NULL"), "20");
}

TEST_F(SqlFunctions, OnlyTheOwnerMayCallWithoutAGrant) {
    EXPECT_THAT(sql("SELECT its.oid::regprocedure FROM pg_proc AS its WHERE pronamespace = "
                    "'sundial'::regnamespace AND prosecdef "
                    "AND (has_function_privilege('pg_monitor', its.oid, 'EXECUTE') OR NOT "
                    "coalesce(proconfig::text LIKE "
                    "'%search_path=pg_catalog, pg_temp%', false))"),
                IsEmpty());
}

}  // namespace
}  // namespace sundial::postgres
