#include "application/schedules/list_occurrences.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "application/schedules/plan_successors.hpp"
#include "domain/time/effort.hpp"
#include "support/control_plane.hpp"
#include "support/interrupted_store.hpp"
#include "support/watched_zones.hpp"

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

    static std::vector<PageKey> places(const Future& future) {
        std::vector<PageKey> all;
        for (const FutureOccurrence& one : future.occurrences) all.push_back(one.place());
        return all;
    }
    /// The places of three days, in pages of `limit`.
    std::vector<PageKey> walked(std::size_t limit) {
        std::vector<PageKey> all;
        FutureRequest request{.from = "now", .to = "now+3d", .page = {}};
        request.page.limit = limit;
        for (bool more = true; more && all.size() < 1'000;) {
            const Future page = list.run(request).value();
            more = page.has_more && !page.occurrences.empty();
            for (const FutureOccurrence& one : page.occurrences) all.push_back(one.place());
            if (more) request.page.after = all.back();
        }
        return all;
    }

    ListOccurrences list{store, zones};
    PlanSuccessors plan{store, zones, ids};
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
    const Future whole = all("now", "now+3d");
    ASSERT_FALSE(whole.has_more);
    EXPECT_THAT(whole.occurrences, SizeIs(3 * 11 + 5));
    for (const std::size_t limit : {1UL, 2UL, 3UL, 7UL})
        EXPECT_EQ(walked(limit), places(whole)) << limit;
}

/// Successors have later ids than all schedules: then the id of a schedule is before that of an
/// event of the page before or of the next one.
TEST_F(ListOccurrencesTest, WalksOccurrencesOfOneInstantOnceAfterTheSchedulesHaveFired) {
    std::vector<ScheduleId> schedules;
    for (int i = 0; i < 5; ++i) schedules.push_back(cron("0 14 * * *", "UTC").id);
    clock.advance(2h);
    const std::vector<Event> fired = claimed();
    ASSERT_THAT(fired, SizeIs(5));
    const std::vector<SharedEvent> planned(fired.begin(), fired.end());
    plan.run(planned);
    for (const Event& event : fired) completed(event);
    const Future whole = all("now", "now+3d");
    ASSERT_THAT(whole.occurrences, SizeIs(10));
    std::map<ScheduleId, std::set<Instant>> of_schedule;
    for (const FutureOccurrence& one : whole.occurrences) {
        EXPECT_EQ(one.event.has_value(), one.at == noon + 26h);
        of_schedule[one.schedule.value()].insert(one.at);
    }
    EXPECT_THAT(of_schedule, SizeIs(5));
    for (const std::size_t limit : {1UL, 2UL, 4UL, 5UL})
        EXPECT_EQ(walked(limit), places(whole)) << limit;
}

TEST_F(ListOccurrencesTest, ContinuesAfterAPlannedEventThatWasMoved) {
    cron("0 9 * * *");
    EventEdit edit;
    edit.target.utc = "2027-01-07T12:00:00Z";
    edit.target.zone = "Europe/Paris";
    const EventId planned = all("now", "now+1d").occurrences.at(0).event.value();
    ASSERT_TRUE(edit_event.run(to_string(planned), edit, std::nullopt, "req-2"));
    EXPECT_THAT(locals(all("now", "now+4d")),
                ElementsAre("2027-01-07T13:00", "2027-01-08T09:00", "2027-01-09T09:00"));
}

TEST_F(ListOccurrencesTest, ReadsMoreSchedulesThanOnePageHasAndSaysWhereItEnds) {
    for (int i = 0; i < 150; ++i) cron("0 9 * * *", "UTC");
    const Future whole = all("now", "now+3d", 500);
    EXPECT_THAT(whole.occurrences, SizeIs(3 * 150));
    EXPECT_FALSE(whole.more_schedules);
    EXPECT_EQ(walked(100), places(whole));

    FutureRequest request{.from = "now", .to = "now+3d", .page = {}};
    request.page.limit = 500;
    ListOccurrences exactly{store, zones, 150};
    EXPECT_FALSE(exactly.run(request).value().more_schedules);
    ListOccurrences fewer{store, zones, 148};
    const Future cut = fewer.run(request).value();
    EXPECT_TRUE(cut.more_schedules);
    EXPECT_THAT(cut.occurrences, SizeIs(150 + 2 * 148));
}

TEST_F(ListOccurrencesTest, ComputesRulesOutsideOfTransactions) {
    for (int i = 0; i < 150; ++i) cron("0 9 * * *");
    ZoneQuestions questions{.store = store};
    const WatchedZones watched{zones, questions};
    ListOccurrences computed{store, watched};
    FutureRequest request{.from = "now", .to = "now+3d", .page = {}};
    request.page.limit = 500;
    EXPECT_THAT(computed.run(request).value().occurrences, SizeIs(3 * 150));
    EXPECT_GT(questions.asked, 150U);
    EXPECT_EQ(questions.inside_transactions, 0U);
}

/// The list has the first event, which fires before the schedules are read, and the next one.
TEST_F(ListOccurrencesTest, ListsAnEventThatIsPlannedWhileItReads) {
    cron("0 9 * * *");
    InterruptedStore interrupted{store, [&] {
                                     clock.advance(20h);
                                     const std::vector<Event> fired = claimed();
                                     ASSERT_THAT(fired, SizeIs(1));
                                     plan.run(std::vector<SharedEvent>(fired.begin(), fired.end()));
                                     completed(fired[0]);
                                 }};
    const Future future = ListOccurrences{interrupted, zones}
                              .run({.from = "now", .to = "now+3d", .page = {}})
                              .value();
    EXPECT_THAT(locals(future),
                ElementsAre("2027-01-06T09:00", "2027-01-07T09:00", "2027-01-08T09:00"));
    EXPECT_TRUE(future.occurrences.at(1).event);
    EXPECT_FALSE(future.occurrences.at(2).event);
}

TEST_F(ListOccurrencesTest, RefusesSchedulesThatTakeTooLongToCompute) {
    for (int i = 0; i < 3; ++i) cron("0 9 * * *");
    FutureRequest request{.from = "now", .to = "now+3d", .page = {}};
    std::vector<std::string> defects;
    EXPECT_TRUE(within_effort(20, [&] { defects = defects_of(list.run(request)); }));
    EXPECT_THAT(defects, ElementsAre("?to too_expensive"));
    EXPECT_TRUE(within_effort(100'000, [&] { defects = defects_of(list.run(request)); }));
    EXPECT_THAT(defects, ElementsAre("no ValidationFailed"));
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
