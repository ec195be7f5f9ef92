#include "application/timezones/survey_tzdata.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "application/timezones/follow_tzdata.hpp"
#include "domain/time/text.hpp"
#include "support/engine.hpp"
#include "support/instants.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::IsEmpty;
using testing::SizeIs;

FakeTzData release(std::string name, const FakeZone& zone) {
    FakeTzData data{std::move(name)};
    data.put(zone);
    return data;
}

/// All events are planned with release 2025b, which is remembered.
class SurveyTzdataTest : public Engine {
protected:
    SurveyTzdataTest() { FollowTzdata{store, zones, ids, wakeups}.remember(); }

    Event a_reminder_at(const std::string& local, const std::string& zone = "Europe/Paris",
                        std::optional<GapPolicy> gap = std::nullopt) {
        NewEvent requested = a_reminder();
        requested.target = {.local = local, .zone = zone, .gap = gap};
        return scheduled(requested);
    }
    SurveyTzdata survey{store, zones};
};

TEST_F(SurveyTzdataTest, ReportsEventsThatAnInactiveDatabaseWouldMove) {
    const Event event = a_reminder_at("2027-02-01T09:00:00");
    a_reminder_at("2027-02-01T09:00:00", "America/New_York");
    zones.put_at_source(release("2026f", {"Europe/Paris", 2h}));
    const TzImpact impact = survey.run(std::nullopt, 50);
    EXPECT_EQ(impact.in_effect, "2025b");
    EXPECT_EQ(impact.release, "2026f");
    ASSERT_THAT(impact.moves, SizeIs(1));
    EXPECT_EQ(impact.moves[0].event, event);
    EXPECT_EQ(impact.moves[0].after, at("2027-02-01T07:00:00Z"));
    EXPECT_FALSE(impact.last);
    EXPECT_EQ(find(event), event) << "it is only reported";
}

TEST_F(SurveyTzdataTest, ReportsEventsThatWereNotTakenOver) {
    a_reminder_at("2027-02-01T09:00:00");
    zones.set(release("2026f", {"Europe/Paris", 2h}));
    EXPECT_THAT(survey.run(std::nullopt, 50).moves, SizeIs(1));
    FollowTzdata{store, zones, ids, wakeups}.run(Takeover::of_older);
    EXPECT_THAT(survey.run(std::nullopt, 50).moves, IsEmpty());
}

TEST_F(SurveyTzdataTest, ReportsAnEventThatWouldEnd) {
    a_reminder_at("2027-03-28T02:30:00", "Europe/Paris", GapPolicy::skip);
    zones.put_at_source(release(
        "2026f", {"Europe/Paris", 1h, {{sys_days{March / 28 / 2027} + hours{1}, hours{2}}}}));
    const TzImpact impact = survey.run(std::nullopt, 50);
    ASSERT_THAT(impact.moves, SizeIs(1));
    EXPECT_FALSE(impact.moves[0].after);
}

TEST_F(SurveyTzdataTest, PagesSeeEachMoveOnce) {
    FakeTzData newer{"2026f"};
    newer.put({"Europe/Paris", 2h});
    newer.put({"Asia/Kolkata", 6h});
    for (int i = 0; i < 7; ++i) {
        a_reminder_at("2027-02-01T09:00:00");
        a_reminder_at("2027-02-01T09:00:00", "Asia/Kolkata");
        a_reminder_at("2027-02-01T09:00:00", "Pacific/Auckland");
    }
    zones.put_at_source(newer);
    for (const std::size_t limit : {1U, 2U, 5U, 14U, 50U}) {
        std::set<EventId> seen;
        std::optional<ImpactPlace> place;
        do {
            const TzImpact impact = survey.run(place, limit);
            EXPECT_LE(impact.moves.size(), limit);
            for (const auto& move : impact.moves) EXPECT_TRUE(seen.insert(move.event.id).second);
            place = impact.last;
        } while (place);
        EXPECT_EQ(seen.size(), 14U) << limit;
    }
}

TEST_F(SurveyTzdataTest, OneRequestReadsABoundedNumberOfEvents) {
    for (int i = 0; i < 2'001; ++i) a_reminder_at("2027-01-20T09:00:00");
    const Event last = a_reminder_at("2027-06-20T09:00:00");
    zones.put_at_source(release(
        "2026f", {"Europe/Paris", 1h, {{sys_days{March / 28 / 2027} + hours{1}, hours{2}}}}));
    std::size_t requests = 0;
    std::vector<TzImpact::Move> moves;
    std::optional<ImpactPlace> place;
    do {
        const TzImpact impact = survey.run(place, 50);
        moves.insert(moves.end(), impact.moves.begin(), impact.moves.end());
        place = impact.last;
        ++requests;
    } while (place);
    EXPECT_EQ(requests, 2U);
    ASSERT_THAT(moves, SizeIs(1));
    EXPECT_EQ(moves[0].event.id, last.id);
}

}  // namespace
}  // namespace sundial
