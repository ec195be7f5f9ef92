#include "application/schedules/list_occurrences.hpp"

#include <gmock/gmock.h>

#include <set>

#include "support/control_plane.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// From 2027-01-05T12:00:00Z on.
class ListOccurrencesTest : public ControlPlane {
protected:
    Schedule cron(const std::string& expression, const std::string& zone = "Europe/Paris") {
        ScheduleFields fields;
        fields.event_type = "CRON";
        fields.trigger = TriggerFields{.cron = expression};
        fields.timezone = std::optional<std::string>{zone};
        return create_schedule.run(fields, "req-1").value().schedule;
    }
    Future all(const std::string& from, const std::string& to, std::size_t limit = 100) {
        FutureRequest request{.from = from, .to = to, .page = {}};
        request.page.limit = limit;
        return list.run(request).value();
    }
    static std::vector<std::string> locals(const Future& future) {
        std::vector<std::string> texts;
        for (const FutureOccurrence& one : future.occurrences)
            texts.push_back(one.local.substr(0, 16));
        return texts;
    }

    ListOccurrences list{store, zones};
};

TEST_F(ListOccurrencesTest, ListsThePlannedOneAndLaterOnesOfASchedule) {
    const Schedule daily = cron("0 9 * * *");
    const Future future = all("now", "now+3d");
    EXPECT_THAT(locals(future),
                ElementsAre("2027-01-06T09:00", "2027-01-07T09:00", "2027-01-08T09:00"));
    EXPECT_TRUE(future.occurrences[0].event);
    EXPECT_FALSE(future.occurrences[1].event);
    for (const FutureOccurrence& one : future.occurrences) {
        EXPECT_EQ(one.schedule, daily.id);
        EXPECT_EQ(one.event_type, "CRON");
        EXPECT_EQ(one.zone, "Europe/Paris");
    }
    EXPECT_FALSE(future.has_more);
    EXPECT_EQ(future.tz_release, zones.current()->release());
}

TEST_F(ListOccurrencesTest, ListsUsersAndSingleEventsToo) {
    const User user = created(born("1992-01-06", "Europe/Paris"));
    NewEvent requested = a_reminder();
    requested.target.utc = "2027-01-06T10:00:00Z";
    const Event single = scheduled(requested);
    const Future future = all("2027-01-06T00:00:00Z", "2027-01-07T00:00:00Z");
    ASSERT_THAT(future.occurrences, SizeIs(2));
    EXPECT_EQ(future.occurrences[0].user, user.id);
    EXPECT_EQ(future.occurrences[0].event_type, "BIRTHDAY");
    EXPECT_EQ(future.occurrences[1].event, single.id);
    EXPECT_FALSE(future.occurrences[1].schedule);
    EXPECT_THAT(future.only_next, IsEmpty());
    EXPECT_THAT(all("now", "now+800d").only_next, ElementsAre(birthday().id));
}

TEST_F(ListOccurrencesTest, LeavesOutThePast) {
    cron("0 9 * * *");
    EXPECT_THAT(locals(all("now-10d", "now+1d")), ElementsAre("2027-01-06T09:00"));
}

TEST_F(ListOccurrencesTest, WalksEachOccurrenceOnceThroughPages) {
    for (int i = 0; i < 3; ++i) cron("0 */6 * * *", "UTC");
    for (int i = 0; i < 5; ++i) {
        NewEvent requested = a_reminder();
        requested.target.utc = "2027-01-06T0" + std::to_string(i) + ":00:00Z";
        scheduled(requested);
    }
    const Future whole = all("now", "now+2d");
    ASSERT_FALSE(whole.has_more);
    std::vector<PageKey> expected, walked;
    for (const FutureOccurrence& one : whole.occurrences) expected.push_back(one.place());
    EXPECT_GT(expected.size(), 25U);
    for (const std::size_t limit : {1UL, 2UL, 3UL, 7UL}) {
        walked.clear();
        FutureRequest request{.from = "now", .to = "now+2d", .page = {}};
        request.page.limit = limit;
        for (bool more = true; more;) {
            const Future page = list.run(request).value();
            ASSERT_FALSE(page.occurrences.empty());
            more = page.has_more;
            for (const FutureOccurrence& one : page.occurrences) walked.push_back(one.place());
            request.page.after = walked.back();
            ASSERT_LE(walked.size(), expected.size());
        }
        EXPECT_EQ(walked, expected) << limit;
    }
}

TEST_F(ListOccurrencesTest, RefusesInvalidTimes) {
    const auto refused = [&](const char* from, const char* to) {
        return defects_of(list.run({.from = from, .to = to, .page = {}}));
    };
    EXPECT_THAT(refused("tomorrow", "now"), SizeIs(1));
    EXPECT_THAT(refused("now", "x"), SizeIs(1));
    EXPECT_THAT(refused("now", "now"), SizeIs(1));
}

}  // namespace
}  // namespace sundial
