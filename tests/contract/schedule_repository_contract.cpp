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
    EXPECT_EQ(birthday.trigger, (YearlyTrigger{"dateOfBirth", 9h}));
    EXPECT_FALSE(birthday.endpoint);
    EXPECT_EQ(birthday.payload, R"({"message":"Hey, {firstName} {lastName} it's your birthday"})");
    EXPECT_EQ(birthday.gap, GapPolicy::compatible);
    EXPECT_EQ(birthday.overlap, OverlapPolicy::compatible);
    EXPECT_EQ(birthday.leap, LeapPolicy::feb28);
    EXPECT_EQ(birthday.version, Version{1});
    EXPECT_EQ(birthday.planned_version, Version{1});
    EXPECT_EQ(read([](Transaction& tx) { return tx.schedules().all(); }), std::vector{birthday});
}

TEST_P(ScheduleRepositoryContract, FindsOnlyWhatIsThere) {
    read([](Transaction& tx) {
        EXPECT_FALSE(tx.schedules().find(an_id<ScheduleId>()));
        EXPECT_FALSE(tx.schedules().lock(an_id<ScheduleId>()));
        EXPECT_FALSE(tx.schedules().id_of("Birthday"));
        return true;
    });
}

TEST_P(ScheduleRepositoryContract, ReplacesALockedSchedule) {
    Schedule changed = read(birthday_of);
    changed.external_id = "party";
    changed.event_type = "PARTY";
    changed.priority = Priority::critical;
    changed.enabled = false;
    changed.note = "paused for August – ü";
    changed.trigger = {"anniversary", TimeOfDay{23h + 59min + 58s}};
    changed.endpoint = an_id<EndpointId>();
    changed.payload = "{\"a\": \"{{ {age} 🎂\"}";
    changed.gap = GapPolicy::boundary;
    changed.overlap = OverlapPolicy::both;
    changed.leap = LeapPolicy::mar1;
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

TEST_P(ScheduleRepositoryContract, SharesThoseThatExistAndAllThatRunForUsers) {
    Schedule birthday = read(birthday_of);
    const std::vector<ScheduleId> ids{an_id<ScheduleId>(), birthday.id};
    birthday.enabled = false;
    write([&](Transaction& tx) {
        EXPECT_TRUE(tx.schedules().lock(birthday.id));
        tx.schedules().update(birthday);
        EXPECT_THAT(tx.schedules().share(ids), ElementsAre(birthday));
        EXPECT_THAT(tx.schedules().share({}), IsEmpty());
        EXPECT_THAT(tx.schedules().share_per_user(), ElementsAre(birthday));
    });
}

TEST_P(ScheduleRepositoryContract, KnowsWhichAreBehindTheirEdit) {
    const auto behind = [&] {
        return read([](Transaction& tx) { return tx.schedules().behind(); });
    };
    EXPECT_THAT(behind(), IsEmpty());
    const Schedule birthday = read(birthday_of);
    const auto update = [&](Version version, Version planned) {
        write([&](Transaction& tx) {
            Schedule changed = tx.schedules().lock(birthday.id).value();
            changed.version = version;
            changed.planned_version = planned;
            tx.schedules().update(changed);
        });
    };
    update(Version{2}, Version{1});
    EXPECT_THAT(behind(), ElementsAre(birthday.id));
    update(Version{2}, Version{2});
    EXPECT_THAT(behind(), IsEmpty());
}

}  // namespace
}  // namespace sundial
