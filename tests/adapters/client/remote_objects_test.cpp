#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <string>
#include <vector>

#include "adapters/client/one_response.hpp"
#include "sundial/remote.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

class RemoteObjectsTest : public testing::Test {
protected:
    RemoteObjectsTest() { ::setenv("no_proxy", "*", 1); }
};

TEST_F(RemoteObjectsTest, CreatesAUserAndReadsTheStoredOne) {
    const OneResponse server{
        201, R"({"id":"u1","externalId":"crm-7","firstName":"Ada","lastName":"Li",)"
             R"("dateOfBirth":"1992-02-29","timezone":"Europe/Paris","futureMember":{},)"
             R"("dates":{"anniversary":"2015-06-01"},"metadata":{},"version":1})"};
    const auto user =
        RemoteUsers{server.client()}.create({.first_name = "Ada",
                                             .last_name = "Li",
                                             .date_of_birth = "1992-02-29",
                                             .timezone = "Europe/Paris",
                                             .external_id = "crm-7",
                                             .dates = {{"anniversary", "2015-06-01"}}},
                                            "request-1");
    ASSERT_TRUE(user) << user.error().detail;
    EXPECT_EQ(user->id, "u1");
    EXPECT_EQ(user->external_id, "crm-7");
    EXPECT_EQ(user->version, 1U);
    EXPECT_THAT(user->dates, ElementsAre(Pair("anniversary", "2015-06-01")));
    EXPECT_THAT(server.request(), HasSubstr("Idempotency-Key: request-1\r\n"));
    EXPECT_TRUE(server.request().ends_with(
        R"({"firstName":"Ada","lastName":"Li","dateOfBirth":"1992-02-29",)"
        R"("timezone":"Europe/Paris","externalId":"crm-7","dates":{"anniversary":"2015-06-01"}})"))
        << server.request();
}

TEST_F(RemoteObjectsTest, ChangesOnlyTheNamedFieldsOfAUser) {
    const OneResponse server{
        412, R"({"code":"OPTIMISTIC_LOCK","detail":"d","expectedVersion":3,"actualVersion":4})"};
    const auto refused = RemoteUsers{server.client()}.update(
        "ext:crm-7",
        {.timezone = "Asia/Tokyo", .external_id = "", .metadata = {{"a", std::nullopt}}}, 3);
    EXPECT_EQ(refused.error().data, (Error::Data{VersionConflict{"ext:crm-7", 3, 4}}));
    EXPECT_THAT(server.request(), StartsWith("PATCH /v1/users/ext%3Acrm-7 HTTP"));
    EXPECT_THAT(server.request(), HasSubstr("If-Match: \"3\"\r\n"));
    EXPECT_TRUE(server.request().ends_with(
        R"({"timezone":"Asia/Tokyo","externalId":null,"metadata":{"a":null}})"))
        << server.request();
}

TEST_F(RemoteObjectsTest, ListsAndRemovesUsers) {
    const OneResponse server{200, R"({"data":[{"id":"u1"},{"id":"u2"}],"hasMore":true,)"
                                  R"("nextCursor":"c2"})"};
    const auto page = RemoteUsers{server.client()}.list({.prefix = "A&b"}, {.limit = 2});
    ASSERT_TRUE(page);
    EXPECT_EQ(page->users.at(1).id, "u2");
    EXPECT_EQ(page->next, "c2");
    EXPECT_THAT(server.request(), StartsWith("GET /v1/users?q=A%26b&limit=2 HTTP"));
    const OneResponse missing{404, R"({"code":"USER_NOT_FOUND","detail":"d"})"};
    EXPECT_EQ(RemoteUsers{missing.client()}.remove("u9", 2).error().data,
              (Error::Data{Missing{"u9"}}));
    EXPECT_THAT(missing.request(), StartsWith("DELETE /v1/users/u9 HTTP"));
    const OneResponse gone{204, ""};
    EXPECT_TRUE(RemoteUsers{gone.client()}.remove("u1"));
}

TEST_F(RemoteObjectsTest, AnswersOfOtherServersAreErrors) {
    for (const std::string body : {"", "[]", "{}"}) {
        const OneResponse server{200, body};
        EXPECT_EQ(RemoteUsers{server.client()}.get("a").error().code, "HTTP_ERROR") << body;
        EXPECT_EQ(RemoteUsers{server.client()}.list().error().code, "HTTP_ERROR") << body;
    }
}

}  // namespace
}  // namespace sundial
