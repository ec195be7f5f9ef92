#include "cli/shadow/shadow_jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace sundial::cli {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr Instant noon_of_jobs{1'800'000'000s};

ShadowSchedule shadow_of(const std::string& id, const std::string& payload,
                         Instant run = noon_of_jobs) {
    ShadowSchedule made = shadow_schedule(
        R"({"id":")" + id + R"(","externalId":"crontab-)" + id + R"(","payload":)" + payload + '}',
        noon_of_jobs - 1h);
    made.runs = {run};
    return made;
}

LoggedRun logged(const std::string& name, const std::string& user = "", Instant at = noon_of_jobs) {
    return {1, at, name, user};
}

TEST(ShadowJobs, AScheduleIsFoundByItsIdsAndByItsEntry) {
    for (const char* name : {"a1", "ext:crontab-a1", "crontab-a1", "run {x}"}) {
        const auto found =
            match_jobs({logged(name)}, {shadow_of("a1", R"({"command":"run {{x}"})")});
        EXPECT_THAT(found.unknown, IsEmpty()) << name;
        ASSERT_THAT(found.jobs, SizeIs(1));
        EXPECT_EQ(found.jobs[0].name, name);
        EXPECT_THAT(found.jobs[0].schedules, ElementsAre("ext:crontab-a1"));
        EXPECT_THAT(found.jobs[0].old, ElementsAre(noon_of_jobs));
        EXPECT_THAT(found.jobs[0].current, ElementsAre(noon_of_jobs));
    }
}

TEST(ShadowJobs, TheSameCommandOfAnotherUserIsAnotherJob) {
    const auto found =
        match_jobs({logged("poll", "ada"), logged("poll", "root"), logged("poll", "eve")},
                   {shadow_of("a", R"({"command":"poll","user":"ada"})"),
                    shadow_of("r", R"({"command":"poll","user":"root"})")});
    EXPECT_THAT(found.jobs, SizeIs(2));
    EXPECT_THAT(found.unknown, ElementsAre(Pair("poll", 1U)));
}

TEST(ShadowJobs, SeveralLinesWithOneCommandAreOneJob) {
    const auto found = match_jobs({logged("poll", "ada", noon_of_jobs + 2h), logged("poll", "ada")},
                                  {shadow_of("b", R"({"command":"poll"})", noon_of_jobs + 2h),
                                   shadow_of("a", R"({"command":"poll"})")});
    ASSERT_THAT(found.jobs, SizeIs(1));
    EXPECT_THAT(found.jobs[0].schedules, SizeIs(2));
    EXPECT_THAT(found.jobs[0].old, ElementsAre(noon_of_jobs, noon_of_jobs + 2h));
    EXPECT_THAT(found.jobs[0].current, ElementsAre(noon_of_jobs, noon_of_jobs + 2h));
}

TEST(ShadowJobs, AScheduleThatTheLogDoesNotNameIsAJobOfItsOwn) {
    const auto found = match_jobs({logged("other")}, {shadow_of("a", R"({"command":"poll"})")});
    ASSERT_THAT(found.jobs, SizeIs(1));
    EXPECT_EQ(found.jobs[0].name, "ext:crontab-a");
    EXPECT_THAT(found.jobs[0].old, IsEmpty());
    EXPECT_THAT(found.unknown, ElementsAre(Pair("other", 1U)));
}

TEST(ShadowJobs, ACommandBeyondAsciiIsFoundInASyslog) {
    const auto found = match_jobs({logged("caf\\303\\251", "ada")},
                                  {shadow_of("a", "{\"command\":\"caf\xc3\xa9\"}")});
    EXPECT_THAT(found.unknown, IsEmpty());
}

}  // namespace
}  // namespace sundial::cli
