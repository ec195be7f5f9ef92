#include <gmock/gmock.h>

#include "contract/control_plane_contract.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Schedule birthday_of(Transaction& tx) {
    return tx.schedules().find(tx.schedules().id_of("birthday").value()).value();
}

TEST_P(ScheduleRepositoryContract, HasTheBirthdayFromTheStart) {
    const Schedule birthday = read(birthday_of);
    EXPECT_EQ(birthday.external_id, "birthday");
    EXPECT_EQ(birthday.event_type, "BIRTHDAY");
    EXPECT_EQ(birthday.priority, Priority::normal);
    EXPECT_TRUE(birthday.enabled);
    EXPECT_FALSE(birthday.note);
    EXPECT_EQ(birthday.trigger, (Trigger{YearlyTrigger{"dateOfBirth", 9h}}));
    EXPECT_FALSE(birthday.endpoint);
    EXPECT_EQ(birthday.payload, R"({"message":"Hey, {firstName} {lastName} it's your birthday"})");
    EXPECT_EQ(birthday.gap, GapPolicy::compatible);
    EXPECT_EQ(birthday.overlap, OverlapPolicy::compatible);
    EXPECT_EQ(birthday.leap, LeapPolicy::feb28);
    EXPECT_EQ(birthday.version, Version{1});
    EXPECT_EQ(birthday.planned_version, Version{1});
    EXPECT_EQ(read([](Transaction& tx) { return tx.schedules().list({}).items; }),
              std::vector{birthday});
}

TEST_P(ScheduleRepositoryContract, FindsOnlyExistingSchedules) {
    read([](Transaction& tx) {
        EXPECT_FALSE(tx.schedules().find(an_id<ScheduleId>()));
        EXPECT_FALSE(tx.schedules().lock(an_id<ScheduleId>()));
        EXPECT_FALSE(tx.schedules().id_of("Birthday"));
        return true;
    });
}

TEST_P(ScheduleRepositoryContract, FindsAllSchedules) {
    const Schedule birthday = read(birthday_of);
    const std::vector<ScheduleId> ids{birthday.id, an_id<ScheduleId>(), birthday.id};
    EXPECT_EQ(read([&](Transaction& tx) { return tx.schedules().find_all(ids); }),
              std::vector{birthday});
    EXPECT_TRUE(read([](Transaction& tx) { return tx.schedules().find_all({}).empty(); }));
}

TEST_P(ScheduleRepositoryContract, ReplacesALockedSchedule) {
    Schedule changed = read(birthday_of);
    changed.external_id = "party";
    changed.event_type = "PARTY";
    changed.priority = Priority::critical;
    changed.enabled = false;
    changed.note = "paused for August – ü";
    changed.trigger = YearlyTrigger{"anniversary", TimeOfDay{23h + 59min + 58s}};
    changed.endpoint = an_id<EndpointId>();
    changed.payload = "{\"a\": \"{{ {age} 🎂\"}";
    changed.gap = GapPolicy::boundary;
    changed.overlap = OverlapPolicy::both;
    changed.leap = LeapPolicy::mar1;
    changed.misfire = {MisfirePolicy::skip, 36h, 0s, 7};
    changed.concurrency = Concurrency::forbid;
    changed.jitter = 90s;
    changed.starts_at = noon - 3us;
    changed.ends_at = noon + 24h;
    changed.tags = {"home", "night.2"};
    changed.ping_url = "https://hc-ping.com/5b3c2f6e";
    changed.version = Version{2};
    changed.created_at = noon - 5us;
    changed.updated_at = noon + 1us;
    write([&](Transaction& tx) {
        EXPECT_TRUE(tx.schedules().lock(changed.id));
        tx.schedules().update(changed);
    });
    EXPECT_EQ(read([&](Transaction& tx) { return tx.schedules().find(changed.id); }), changed);
    EXPECT_EQ(read([](Transaction& tx) { return tx.schedules().id_of("party"); }), changed.id);
    EXPECT_FALSE(read([](Transaction& tx) { return tx.schedules().id_of("birthday"); }));
}

TEST_P(ScheduleRepositoryContract, FindsTheSchedulesWithAPingUrl) {
    Schedule pinged = a_schedule(), other = a_schedule(), silent = a_schedule();
    pinged.ping_url = "https://hc-ping.com/5b3c2f6e";
    other.ping_url = "https://hc-ping.com/0c1d4a6b";
    write([&](Transaction& tx) {
        for (const Schedule& one : {pinged, other, silent}) EXPECT_TRUE(tx.schedules().add(one));
    });
    const auto found = read([&](Transaction& tx) {
        return tx.schedules().with_ping(std::vector{pinged.id, silent.id, an_id<ScheduleId>()});
    });
    EXPECT_THAT(found, ElementsAre(pinged));
    EXPECT_THAT(read([&](Transaction& tx) { return tx.schedules().with_ping({}); }), IsEmpty());
}

TEST_P(ScheduleRepositoryContract, KeepsEveryKindOfTrigger) {
    const std::vector<Trigger> triggers{
        YearlyTrigger{"02-29", TimeOfDay{0}},
        CronTrigger{" */5 22-2 * * FRI-MON "},
        RruleTrigger{
            "DTSTART;TZID=Europe/Rome:20270101T090000\r\nRRULE:FREQ=DAILY\r\n", "", {}, {}, {}},
        RruleTrigger{"", "2027-01-01T09:00", "FREQ=DAILY", {"2027-01-02T10:00", "\"x\" ü"}, {"y"}},
        RruleTrigger{"", "20270101T090000", std::nullopt, {"20270102T090000"}, {}},
        EveryTrigger{876'600h},
    };
    for (const Trigger& trigger : triggers) {
        const Schedule of_user = a_schedule().with_trigger(trigger);
        const Schedule without_user = a_schedule().with_trigger(trigger).in("Asia/Calcutta");
        write([&](Transaction& tx) {
            EXPECT_TRUE(tx.schedules().add(of_user));
            EXPECT_TRUE(tx.schedules().add(without_user));
        });
        read([&](Transaction& tx) {
            EXPECT_EQ(tx.schedules().find(of_user.id), of_user);
            EXPECT_EQ(tx.schedules().find(without_user.id), without_user);
            return true;
        });
        Schedule changed = without_user;
        changed.trigger = triggers.front();
        write([&](Transaction& tx) { tx.schedules().update(changed); });
        EXPECT_EQ(read([&](Transaction& tx) { return tx.schedules().find(changed.id); }), changed);
    }
}

TEST_P(ScheduleRepositoryContract, RefusesAnExternalIdThatAnotherHas) {
    const auto add = [&](const Schedule& schedule) {
        return in_transaction(store(),
                              [&](Transaction& tx) { return tx.schedules().add(schedule); });
    };
    const Schedule second = a_schedule().with_external_id("birthday");
    const auto refused = add(second);
    ASSERT_TRUE(is<DuplicateExternalId>(refused));
    EXPECT_EQ(refused.error().noun, Noun::schedule);
    EXPECT_EQ(refused.error().existing, read(birthday_of).id.value);
    EXPECT_FALSE(read([&](Transaction& tx) { return tx.schedules().find(second.id); }));
    EXPECT_TRUE(add(a_schedule()));
    EXPECT_TRUE(add(a_schedule()));
}

TEST_P(ScheduleRepositoryContract, RemovesOne) {
    const Schedule schedule = a_schedule().with_external_id("backup").in("UTC");
    write([&](Transaction& tx) { EXPECT_TRUE(tx.schedules().add(schedule)); });
    write([&](Transaction& tx) {
        EXPECT_TRUE(tx.schedules().lock(schedule.id));
        tx.schedules().remove(schedule.id);
    });
    read([&](Transaction& tx) {
        EXPECT_FALSE(tx.schedules().find(schedule.id));
        EXPECT_FALSE(tx.schedules().id_of("backup"));
        EXPECT_TRUE(tx.schedules().id_of("birthday"));
        return true;
    });
}

TEST_P(ScheduleRepositoryContract, FiltersAndSortsAList) {
    const Schedule birthday = read(birthday_of);
    const EndpointId crm = an_id<EndpointId>();
    Schedule backup = a_schedule()
                          .with_external_id("backup")
                          .of_type("BACKUP")
                          .with_trigger(CronTrigger{"@daily"})
                          .in("UTC");
    Schedule poll = a_schedule().of_type("POLL").with_trigger(EveryTrigger{15min}).to_endpoint(crm);
    poll.enabled = false;
    poll.tags = {"night-watch"};
    backup.tags = {"home", "night"};
    backup.created_at = birthday.created_at + 1us;
    poll.created_at = birthday.created_at + 2us;
    write([&](Transaction& tx) {
        EXPECT_TRUE(tx.schedules().add(poll));
        EXPECT_TRUE(tx.schedules().add(backup));
    });
    const auto like = [&](auto ask) {
        ScheduleQuery query;
        ask(query);
        std::vector<ScheduleId> ids;
        const auto page = read([&](Transaction& tx) { return tx.schedules().list(query); });
        for (const Schedule& schedule : page.items) ids.push_back(schedule.id);
        return ids;
    };
    EXPECT_THAT(like([](ScheduleQuery&) {}), ElementsAre(birthday.id, backup.id, poll.id));
    EXPECT_THAT(like([](ScheduleQuery& q) { q.page.descending = true; }),
                ElementsAre(poll.id, backup.id, birthday.id));
    EXPECT_THAT(like([](ScheduleQuery& q) { q.page.limit = 1; }), ElementsAre(birthday.id));
    EXPECT_THAT(like([&](ScheduleQuery& q) {
                    q.page.after =
                        PageKey{std::to_string(backup.created_at.time_since_epoch().count()),
                                backup.id.value};
                }),
                ElementsAre(poll.id));
    EXPECT_THAT(like([](ScheduleQuery& q) { q.enabled = false; }), ElementsAre(poll.id));
    EXPECT_THAT(like([](ScheduleQuery& q) { q.per_user = false; }), ElementsAre(backup.id));
    EXPECT_THAT(like([](ScheduleQuery& q) { q.kinds = {TriggerKind::cron, TriggerKind::every}; }),
                ElementsAre(backup.id, poll.id));
    EXPECT_THAT(like([](ScheduleQuery& q) { q.types = {"POLL", "NONE"}; }), ElementsAre(poll.id));
    EXPECT_THAT(like([&](ScheduleQuery& q) { q.endpoint = crm; }), ElementsAre(poll.id));
    EXPECT_THAT(like([](ScheduleQuery& q) { q.prefix = "ba"; }), ElementsAre(backup.id));
    EXPECT_THAT(like([](ScheduleQuery& q) { q.tag = "night"; }), ElementsAre(backup.id));
    EXPECT_THAT(like([](ScheduleQuery& q) { q.tag = "nigh"; }), IsEmpty());
    EXPECT_THAT(like([](ScheduleQuery& q) { q.prefix = "BIRTH"; }), ElementsAre(birthday.id));
    EXPECT_THAT(like([&](ScheduleQuery& q) { q.prefix = to_string(poll.id); }),
                ElementsAre(poll.id));
}

TEST_P(ScheduleRepositoryContract, SharesThoseThatExistAndAllThatRunForUsers) {
    Schedule birthday = read(birthday_of);
    const std::vector<ScheduleId> ids{an_id<ScheduleId>(), birthday.id};
    birthday.enabled = false;
    write([&](Transaction& tx) {
        EXPECT_TRUE(tx.schedules().add(a_schedule().in("Europe/Paris")));
        EXPECT_TRUE(tx.schedules().lock(birthday.id));
        tx.schedules().update(birthday);
        EXPECT_THAT(tx.schedules().share(ids), ElementsAre(birthday));
        EXPECT_THAT(tx.schedules().share({}), IsEmpty());
        EXPECT_THAT(tx.schedules().share_per_user(), ElementsAre(birthday));
    });
}

}  // namespace
}  // namespace sundial
