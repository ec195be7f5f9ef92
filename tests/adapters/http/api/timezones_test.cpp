#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>

#include "adapters/http/api/routes.hpp"
#include "api_fixture.hpp"
#include "application/timezones/follow_tzdata.hpp"

namespace sundial::http {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// All events are planned with release 2025b at noon on 5 January 2027.
class TimezonesApi : public ApiTest {
protected:
    TimezonesApi() {
        add_timezone_routes(router, {timezones_module, zones, clock});
        FollowTzdata{store, zones, ids, wakeups}.remember();
    }
    [[nodiscard]] json::object ok(const std::string& target) {
        const Response response = get(target);
        EXPECT_EQ(response.status, 200) << target << ": " << response.body;
        return json::parse(response.body).as_object();
    }
    [[nodiscard]] std::vector<std::string> names(const std::string& target) {
        std::vector<std::string> found;
        const auto body = ok(target);
        for (const auto& zone : body.at("data").as_array())
            found.emplace_back(zone.at("name").as_string());
        return found;
    }
    Event a_reminder_at(const std::string& local, std::optional<GapPolicy> gap = std::nullopt) {
        NewEvent requested = a_reminder();
        requested.target = {.local = local, .zone = "Europe/Paris", .gap = gap};
        return scheduled(requested);
    }
    void another_database() {
        FakeTzData data{"2026f"};
        data.put({"Europe/Paris",
                  2h,
                  {{std::chrono::sys_days{std::chrono::March / 28 / 2027} + 1h, 3h}}});
        zones.put_at_source(data);
    }

    TimezonesModule timezones_module{ports};
};

TEST_F(TimezonesApi, ListsZonesWithTheirOffsetNowAndTheChangesOfTheYearToCome) {
    const auto body = ok("/v1/timezones?zone=America/New_York");
    EXPECT_EQ(body.at("release"), "2025b");
    EXPECT_EQ(json::serialize(body.at("data")),
              R"([{"name":"America/New_York","offset":"-05:00","changes":[)"
              R"({"at":"2027-03-14T07:00:00.000Z","before":"-05:00","after":"-04:00"},)"
              R"({"at":"2027-11-07T06:00:00.000Z","before":"-04:00","after":"-05:00"}]}])");
    EXPECT_EQ(body.at("hasMore"), false);
}

TEST_F(TimezonesApi, FindsByAPartOfTheNameInAnyCase) {
    EXPECT_THAT(names("/v1/timezones?q=PACIFIC"),
                ElementsAre("Pacific/Apia", "Pacific/Auckland", "Pacific/Honolulu"));
    EXPECT_THAT(names("/v1/timezones?q=mars"), IsEmpty());
}

TEST_F(TimezonesApi, ListsTheChangesOfTheRequestedRange) {
    const auto changes = [&](const std::string& window) {
        return ok("/v1/timezones?zone=America/New_York&" + window)
            .at("data")
            .at(0)
            .at("changes")
            .as_array()
            .size();
    };
    EXPECT_EQ(changes("from=2026-01-01T00:00:00Z&to=2028-01-01T00:00:00Z"), 4U);
    EXPECT_EQ(changes("from=2027-03-14T07:00:00Z&to=2027-03-15T00:00:00Z"), 1U);
    EXPECT_EQ(changes("from=2027-03-14T07:00:00.001Z&to=2027-03-15T00:00:00Z"), 0U);
    EXPECT_EQ(changes("from=now&to=2027-03-14T07:00:00Z"), 0U);
}

TEST_F(TimezonesApi, PagesSeeEachZoneOnce) {
    std::vector<std::string> seen;
    std::string target = "/v1/timezones?limit=2";
    for (;;) {
        const auto body = ok(target);
        for (const auto& zone : body.at("data").as_array())
            seen.emplace_back(zone.at("name").as_string());
        if (!body.at("hasMore").as_bool()) break;
        target = "/v1/timezones?limit=2&cursor=" + std::string(body.at("nextCursor").as_string());
    }
    const auto all = zones.current()->names();
    EXPECT_EQ(seen, std::vector<std::string>(all.begin(), all.end()));
}

TEST_F(TimezonesApi, RefusesInvalidRequests) {
    const Response unknown = get("/v1/timezones?zone=Mars/Base");
    EXPECT_EQ(unknown.status, 400);
    EXPECT_THAT(unknown.body, HasSubstr("unknown_zone"));
    const Response backward =
        get("/v1/timezones?from=2027-01-01T00:00:00Z&to=2026-01-01T00:00:00Z");
    EXPECT_EQ(backward.status, 400);
    EXPECT_THAT(backward.body, HasSubstr("?to"));
    EXPECT_EQ(get("/v1/timezones?from=soon").status, 400);
    EXPECT_EQ(get("/v1/timezones?colour=red").status, 400);
    EXPECT_THAT(get("/v1/timezones?cursor=nonsense").body, HasSubstr("INVALID_CURSOR"));
}

TEST_F(TimezonesApi, PreviewsTheMovesOfAnotherDatabase) {
    const Event event = a_reminder_at("2027-02-01T09:00:00");
    const Event skipped = a_reminder_at("2027-03-28T03:30:00", GapPolicy::skip);
    EXPECT_THAT(ok("/v1/timezones/impact").at("data").as_array(), IsEmpty());
    another_database();

    const auto body = ok("/v1/timezones/impact");
    EXPECT_EQ(body.at("inForce"), "2025b");
    EXPECT_EQ(body.at("release"), "2026f");
    ASSERT_THAT(body.at("data").as_array(), SizeIs(2));
    for (const auto& row : body.at("data").as_array()) {
        const bool ends = row.at("eventId").as_string() == to_string(skipped.id);
        EXPECT_EQ(row.at("eventId").as_string(), to_string(ends ? skipped.id : event.id));
        EXPECT_EQ(row.at("targetTimezone"), "Europe/Paris");
        EXPECT_EQ(row.at("tzdb"), "2025b");
        EXPECT_EQ(row.at("wallTime"), ends ? "2027-03-28T03:30:00" : "2027-02-01T09:00:00");
        EXPECT_EQ(row.at("before"), ends ? "2027-03-28T02:30:00.000Z" : "2027-02-01T08:00:00.000Z");
        EXPECT_EQ(row.at("after"),
                  ends ? json::value(nullptr) : json::value("2027-02-01T07:00:00.000Z"));
    }
    EXPECT_EQ(find(event), event);
}

TEST_F(TimezonesApi, PagesOfTheImpactSeeEachMoveOnce) {
    for (int i = 0; i < 5; ++i) a_reminder_at("2027-02-01T09:00:00");
    another_database();
    std::set<std::string> seen;
    std::string target = "/v1/timezones/impact?limit=2";
    for (;;) {
        const auto body = ok(target);
        for (const auto& move : body.at("data").as_array())
            EXPECT_TRUE(seen.emplace(move.at("eventId").as_string()).second);
        if (!body.at("hasMore").as_bool()) break;
        target =
            "/v1/timezones/impact?limit=2&cursor=" + std::string(body.at("nextCursor").as_string());
    }
    EXPECT_THAT(seen, SizeIs(5));
    EXPECT_THAT(get("/v1/timezones/impact?cursor=nonsense").body, HasSubstr("INVALID_CURSOR"));
}

}  // namespace
}  // namespace sundial::http
