#include "application/requests/queries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "domain/time/calendar_duration.hpp"
#include "support/control_plane.hpp"

namespace sundial {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class QueriesTest : public ControlPlane {};

TEST_F(QueriesTest, FindThingsByIdAndByExternalId) {
    UserFields fields = ada();
    fields.external_id = "crm-7";
    const User user = created(fields);
    const Endpoint endpoint = an_existing_endpoint(an_endpoint().with_external_id("crm"));

    EXPECT_EQ(queries.user(to_string(user.id)).value(), user);
    EXPECT_EQ(queries.user_id("ext:crm-7").value(), user.id);
    EXPECT_EQ(queries.endpoint("ext:crm").value(), endpoint);
    EXPECT_EQ(queries.endpoint_id(to_string(endpoint.id)).value(), endpoint.id);
    EXPECT_EQ(queries.schedule_id("ext:birthday").value(), birthday().id);
    EXPECT_EQ(queries.event(to_string(pending_of(user).id))->user, user.id);
}

TEST_F(QueriesTest, ReportAnUnknownName) {
    const std::string unknown = to_string(an_id<UserId>());
    for (const std::string& id :
         {std::string{}, std::string{"0199"}, std::string{"ext:"}, unknown}) {
        EXPECT_EQ(error_of<NotFound>(queries.user(id)).noun, Noun::user) << id;
        EXPECT_EQ(error_of<NotFound>(queries.endpoint(id)).noun, Noun::endpoint) << id;
        EXPECT_EQ(error_of<NotFound>(queries.schedule(id)).noun, Noun::schedule) << id;
        EXPECT_EQ(error_of<NotFound>(queries.event(id)).noun, Noun::event) << id;
        EXPECT_EQ(error_of<NotFound>(queries.attempts_of(id)).id, id);
    }
    EXPECT_TRUE(fails_with<NotFound>(queries.user_id("ext:no")));
}

TEST_F(QueriesTest, ListPageByPage) {
    for (int i = 0; i < 3; ++i) created(ada());
    UserQuery query;
    query.page.limit = 2;
    const auto page = queries.users(query);
    EXPECT_THAT(page.items, SizeIs(2));
    EXPECT_TRUE(page.has_more);
    EXPECT_THAT(queries.endpoints({}).items, IsEmpty());
    EXPECT_THAT(queries.schedules({}).items, SizeIs(1));
    EXPECT_THAT(queries.events({}).items, SizeIs(3));
}

TEST_F(QueriesTest, ListTheAttemptsOfAnEvent) {
    EXPECT_THAT(queries.attempts_of(to_string(a_failed_event().id)).value(), SizeIs(1));
}

struct Spoken {
    const char* text;
    Instant means;
    friend void PrintTo(const Spoken& one, std::ostream* out) { *out << one.text; }
};
class Moment : public testing::TestWithParam<Spoken> {};
TEST_P(Moment, IsReadRelativeToNow) {
    EXPECT_EQ(parse_moment(GetParam().text, noon).value(), GetParam().means);
}
INSTANTIATE_TEST_SUITE_P(
    Text, Moment,
    testing::Values(Spoken{"now", noon}, Spoken{"now+7d", noon + 168h}, Spoken{"now-1h", noon - 1h},
                    Spoken{"now-15m", noon - 15min}, Spoken{"now+90s", noon + 90s},
                    Spoken{"now-1h30m", noon - 90min}, Spoken{"now+P1M", noon + 31 * 24h},
                    Spoken{"2027-01-05T13:00:00+01:00", noon}));

struct RefusedMoment {
    const char* text;
    TimeErrorCode code;
    friend void PrintTo(const RefusedMoment& one, std::ostream* out) { *out << one.text; }
};
class NoMoment : public testing::TestWithParam<RefusedMoment> {};
TEST_P(NoMoment, IsReportedByItsCode) {
    EXPECT_EQ(parse_moment(GetParam().text, noon).error().code, GetParam().code);
}
INSTANTIATE_TEST_SUITE_P(Text, NoMoment,
                         testing::Values(RefusedMoment{"", TimeErrorCode::bad_time},
                                         RefusedMoment{"now+", TimeErrorCode::bad_time},
                                         RefusedMoment{"now+1", TimeErrorCode::bad_time},
                                         RefusedMoment{"now+d", TimeErrorCode::bad_time},
                                         RefusedMoment{"now+-1d", TimeErrorCode::bad_time},
                                         RefusedMoment{"now+1y", TimeErrorCode::bad_time},
                                         RefusedMoment{"now 1d", TimeErrorCode::bad_time},
                                         RefusedMoment{"Now", TimeErrorCode::bad_time},
                                         RefusedMoment{"now+9999999d", TimeErrorCode::out_of_range},
                                         RefusedMoment{"now+99999999999999999999s",
                                                       TimeErrorCode::out_of_range}));

TEST(WrongMoment, IsReportedWithTheCorrectForm) {
    for (const char* text : {"", "tomorrow", "Now", "now+1y", "now 1d", "+1d"}) {
        const std::string message = parse_moment(text, noon).error().message;
        EXPECT_THAT(message, HasSubstr("as 2027-05-04T10:11:12Z")) << text;
        EXPECT_THAT(message, HasSubstr("now+7d")) << text;
    }
    EXPECT_THAT(parse_moment("2027-05-04", noon).error().message,
                HasSubstr("the time of day is missing, as in 2027-05-04T10:11:12Z"));
}

}  // namespace
}  // namespace sundial
