#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "cli/imports/apply_schedules.hpp"

namespace sundial::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(ReadScheduleFile, AddsDefaultsToEachSchedule) {
    const ScheduleFile file = read_schedule_file(
        "set = \"billing\"\n"
        "[defaults]\n"
        "timezone = \"Europe/Berlin\"\n"
        "[schedules.nightly]\n"
        "cron = \"30 2 * * *\"\n"
        "payload = { job = \"close\", steps = [1, 2.5, true] }\n"
        "[schedules.birthdays]\n"
        "yearly = { on = \"05-01\" }\n"
        "timezone = \"UTC\"\n"
        "eventType = \"B\"\n",
        "f.toml");
    ASSERT_EQ(file.error, "");
    EXPECT_EQ(file.set, "billing");
    ASSERT_EQ(file.schedules.size(), 2U);
    EXPECT_EQ(file.schedules[0].name, "birthdays");
    EXPECT_THAT(file.schedules[0].members,
                ElementsAre(Pair("eventType", "\"B\""), Pair("timezone", "\"UTC\""),
                            Pair("trigger", R"({"yearly":{"on":"05-01"}})")));
    EXPECT_THAT(file.schedules[1].members,
                ElementsAre(Pair("eventType", "\"nightly\""),
                            Pair("payload", R"({"job":"close","steps":[1,2.5,true]})"),
                            Pair("timezone", "\"Europe/Berlin\""),
                            Pair("trigger", R"({"cron":"30 2 * * *"})")));
}

TEST(ReadScheduleFile, NamesTheLineOfAnError) {
    const struct {
        const char* text;
        const char* error;
    } cases[]{
        {"set = \"a\"\nx = [", "f.toml:2: "},
        {"[schedules.a]\ncron = \"* * * * *\"\n", "`set = \"NAME\"` is required"},
        {"set = \"a\"\nschedule = 1\n", "f.toml:2: 'schedule' is unknown"},
        {"set = \"a\"\n[schedules.b]\ntimezone = \"UTC\"\n", "schedule 'b' has no rule"},
        {"set = \"a\"\n[schedules.b]\ncron = \"@daily\"\nevery = \"PT1H\"\n", "has two rules"},
        {"set = \"a\"\n[schedules.b]\ntrigger = \"@daily\"\n", "f.toml:3: write cron, every"},
        {"set = \"a\"\n[schedules.b]\nexternalId = \"x\"\n", "f.toml:3: the external id"},
        {"set = \"a\"\n[defaults]\ncron = \"@daily\"\n", "f.toml:3: a rule belongs"},
        {"set = \"a\"\n[schedules]\nb = 1\n", "f.toml:3: 'b' must be a table"},
    };
    for (const auto& each : cases)
        EXPECT_THAT(read_schedule_file(each.text, "f.toml").error, HasSubstr(each.error))
            << each.text;
}

}  // namespace
}  // namespace sundial::cli
