#include "application/users/create_user.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/control_plane.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class CreateUserTest : public ControlPlane {
protected:
    /// A time on the birthday, 5 January 2027, in Honolulu.
    static Instant at_honolulu(std::chrono::seconds time_of_day) {
        return sys_days{January / 5 / 2027} + 10h + time_of_day;
    }
};

TEST_F(CreateUserTest, StoresTheUserAtVersionOne) {
    UserFields fields = ada();
    fields.external_id = "crm-7";
    fields.dates = {{"anniversary", "2015-06-01"}};
    fields.metadata = {{"plan", "gold"}};

    const User user = created(fields);

    EXPECT_EQ(queries.user("ext:crm-7").value(), user);
    EXPECT_EQ(user.version, Version{1});
    EXPECT_EQ(user.date_of_birth, Date{January / 6 / 1992});
    EXPECT_EQ(user.dates.at("anniversary"), Date{June / 1 / 2015});
    EXPECT_EQ(user.metadata.at("plan"), "gold");
    EXPECT_EQ(user.created_at, noon);
}

TEST_F(CreateUserTest, PlansTheNextBirthdayAtNineInTheUsersZone) {
    const User user = created(ada());
    const Event event = pending_of(user);
    EXPECT_EQ(event.due, sys_days{January / 6 / 2027} + 8h);  // Paris is at +01:00
    EXPECT_EQ(event.occurrence->nominal, Date{January / 6 / 2027});
    EXPECT_EQ(event.payload, R"({"message":"Hey, Ada Li it's your birthday"})");
    EXPECT_THAT(wakeups.hints, ElementsAre(event.due));
}

TEST_F(CreateUserTest, StartsTodayUntilASecondBeforeNine) {
    (void)clock.set(at_honolulu(8h + 59min + 59s));
    EXPECT_EQ(pending_of(created(born("1992-01-05", "Pacific/Honolulu"))).due, at_honolulu(9h));
}

TEST_F(CreateUserTest, StartsNextYearFromNineOn) {
    (void)clock.set(at_honolulu(9h));
    EXPECT_EQ(pending_of(created(born("1992-01-05", "Pacific/Honolulu"))).occurrence->nominal,
              Date{January / 5 / 2028});
}

TEST_F(CreateUserTest, PutsTheLeapDayOnTheLastOfFebruary) {
    EXPECT_EQ(pending_of(created(born("1992-02-29", "Europe/Paris"))).occurrence->nominal,
              Date{February / 28 / 2027});
}

TEST_F(CreateUserTest, ReportsAllErrorsAtOnce) {
    UserFields fields = ada();
    fields.first_name = "";
    fields.last_name = std::string(256, 'x');
    fields.date_of_birth = "1992-02-30";
    fields.timezone = "Mars/Base";
    fields.dates = {{"anniversary", "yesterday"}};

    const auto refused = create_user.run(fields, "req-1");

    EXPECT_THAT(
        defects_of(refused),
        UnorderedElementsAre("/firstName required", "/lastName too_long", "/dateOfBirth bad_time",
                             "/timezone unknown_zone", "/dates/anniversary bad_time"));
    EXPECT_THAT(queries.users({}).items, IsEmpty());
    EXPECT_THAT(store.recorded(), IsEmpty());
    EXPECT_THAT(wakeups.hints, IsEmpty());
}

TEST_F(CreateUserTest, UsesTheCurrentDayOfTheUsersZone) {
    // In Auckland it is already the 6th, in Honolulu still the 5th.
    EXPECT_TRUE(create_user.run(born("2027-01-05", "Pacific/Auckland"), "req-1"));
    EXPECT_THAT(defects_of(create_user.run(born("2027-01-05", "Pacific/Honolulu"), "req-1")),
                ElementsAre("/dateOfBirth out_of_range"));
    EXPECT_THAT(defects_of(create_user.run(born("2027-01-06", "Pacific/Auckland"), "req-1")),
                ElementsAre("/dateOfBirth out_of_range"));

    clock.advance(std::chrono::hours{24});
    EXPECT_TRUE(create_user.run(born("2027-01-05", "Pacific/Honolulu"), "req-1"));
}

TEST_F(CreateUserTest, TakesAnExternalIdOnce) {
    UserFields fields = ada();
    fields.external_id = "crm-7";
    const User first = created(fields);
    const auto error = error_of<DuplicateExternalId>(create_user.run(fields, "req-2"));
    EXPECT_EQ(error.existing, first.id.value);
    EXPECT_EQ(queries.users({}).items.size(), 1U);
}

TEST_F(CreateUserTest, ParksTheEventsOfAPausedSchedule) {
    change_birthday([](Schedule& schedule) { schedule.enabled = false; });
    EXPECT_EQ(pending_of(created(ada())).claimable_at, never);
}

TEST_F(CreateUserTest, PlansNothingForADateThatTheUserLacks) {
    change_birthday([](Schedule& schedule) { yearly_of(schedule).on = "anniversary"; });
    EXPECT_THAT(events_of(created(ada())), IsEmpty());
}

TEST_F(CreateUserTest, RecordsTheCreation) {
    const User user = created(ada());
    const auto recorded = store.recorded();
    ASSERT_EQ(recorded.size(), 1U);
    EXPECT_EQ(recorded[0].stream.aggregate_type, "User");
    EXPECT_EQ(recorded[0].stream.aggregate_id, to_string(user.id));
    EXPECT_EQ(recorded[0].version, user.version);
    EXPECT_EQ(recorded[0].event_type, "UserCreated");
    EXPECT_EQ(recorded[0].metadata.correlation_id, "req-1");
    EXPECT_THAT(recorded[0].data, HasSubstr(R"("timezone":"Europe/Paris")"));
}

}  // namespace
}  // namespace sundial
