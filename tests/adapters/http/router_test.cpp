#include "adapters/http/router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <stdexcept>

#include "adapters/http/json.hpp"
#include "adapters/http/sample_api.hpp"
#include "application/ports/failures.hpp"
#include "support/recorded_log.hpp"

namespace sundial::http {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class RouterTest : public testing::Test {
protected:
    RouterTest() {
        const auto says = [](const std::string& what) {
            return [what](const Request& request) {
                std::string path_values;
                for (const Parameter& one : request.path_parameters) {
                    path_values += ' ' + one.name + '=' + one.value;
                }
                return json(200, quoted_json(what + path_values));
            };
        };
        router_.add("GET", "/livez", says("alive"));
        router_.add("GET", "/v1/users", says("list"));
        router_.add("POST", "/v1/users", [this](const Request& request) {
            posted_ = std::string(request.json->text());
            return json(201, "{}");
        });
        router_.add("GET", "/v1/users/{id}", says("get"));
        router_.add("PATCH", "/v1/users/{id}", says("patch"));
        router_.add("DELETE", "/v1/users/{id}", [](const Request&) { return no_content(); });
        router_.add("GET", "/v1/users/me", says("me"));
        router_.add("POST", "/v1/tick", [](const Request& request) {
            return json(200, request.json ? "\"with\"" : "\"without\"");
        });
    }

    static Request request(std::string method, const std::string& target) {
        Request made;
        made.method = std::move(method);
        EXPECT_TRUE(read_target(target, made));
        made.correlation_id = "req-7";
        return made;
    }
    static Request post(const std::string& target, std::string type, std::string body) {
        Request made = request("POST", target);
        made.headers.add("Content-Type", std::move(type));
        made.body = std::move(body);
        return made;
    }
    Response get(const std::string& target) { return router_.handle(request("GET", target)); }

    RecordedLog log_;
    ApiSchema schema_{sample_api};
    OpenGuard open_guard_;
    Router router_{schema_, open_guard_, log_};
    std::string posted_;
};

TEST_F(RouterTest, RunsTheHandlerOfMethodAndPattern) {
    EXPECT_EQ(get("/v1/users?limit=1").body, "\"list\"");
    EXPECT_EQ(get("/v1/users/7").body, "\"get id=7\"");
    EXPECT_EQ(get("/v1/users/7").route, "/v1/users/{id}");
    EXPECT_EQ(router_.handle(request("DELETE", "/v1/users/7")).status, 204);
}

TEST_F(RouterTest, PrefersALiteralSegment) { EXPECT_EQ(get("/v1/users/me").body, "\"me\""); }

TEST_F(RouterTest, DecodesSegmentsAfterSplitting) {
    EXPECT_EQ(get("/v1/users/ext%3Aa%2Fb").body, "\"get id=ext:a/b\"");
    EXPECT_EQ(get("/v1/users/%6De").body, "\"me\"");
}

TEST_F(RouterTest, AnswersHeadWithTheHandlerOfGet) {
    EXPECT_EQ(router_.handle(request("HEAD", "/v1/users/7")).body, "\"get id=7\"");
}

TEST_F(RouterTest, SuggestsASimilarRoute) {
    for (const char* target :
         {"/", "/v1", "/v1/users/", "/v1/users/7/x", "/v1//users", "//livez"}) {
        EXPECT_EQ(get(target).status, 404) << target;
        EXPECT_EQ(get(target).route, "") << target;
    }
    const Response response = get("/v1/user");
    EXPECT_THAT(response.body, HasSubstr(R"("code":"ROUTE_NOT_FOUND")"));
    EXPECT_THAT(response.body, HasSubstr("did you mean /v1/users?"));
    EXPECT_THAT(response.body, HasSubstr(R"("instance":"/v1/user","correlationId":"req-7")"));
}

TEST_F(RouterTest, SaysWhichMethodsARouteAllows) {
    const Response response = router_.handle(request("PUT", "/v1/users/7"));
    EXPECT_EQ(response.status, 405);
    EXPECT_EQ(response.headers.find("Allow"), "DELETE, GET, HEAD, PATCH");
    EXPECT_THAT(response.body, HasSubstr(R"("allow":["DELETE","GET","HEAD","PATCH"])"));
    EXPECT_EQ(response.route, "/v1/users/{id}");
    EXPECT_EQ(router_.handle(request("HEAD", "/v1/tick")).status, 405);
}

struct Negotiation {
    std::string accept;
    int status;
    friend void PrintTo(const Negotiation& one, std::ostream* out) { *out << one.accept; }
};
class AcceptHeader : public RouterTest, public testing::WithParamInterface<Negotiation> {};
TEST_P(AcceptHeader, DecidesWhetherWeCanAnswer) {
    Request asked = request("GET", "/v1/users/7");
    asked.headers.add("Accept", GetParam().accept);
    EXPECT_EQ(router_.handle(asked).status, GetParam().status);
}
INSTANTIATE_TEST_SUITE_P(
    Table, AcceptHeader,
    testing::Values(Negotiation{"", 200}, Negotiation{"*/*", 200},
                    Negotiation{"application/*", 200}, Negotiation{"Application/JSON;q=0.1", 200},
                    Negotiation{"text/html", 406}, Negotiation{"text/html, */*;q=0.8", 200},
                    Negotiation{"application/json;q=0, */*", 406}, Negotiation{"*/*;q=0.000", 406},
                    Negotiation{"application/json ; q=0.", 406},
                    Negotiation{"application/jsonx", 406},
                    Negotiation{"*/*;q=0, application/*", 200}, Negotiation{"text/*", 406},
                    Negotiation{",,application/json,", 200}));

TEST_F(RouterTest, RefusalsIgnoreAccept) {
    Request asked = request("GET", "/v1/users/7");
    asked.headers.add("Accept", "text/html");
    const Response response = router_.handle(asked);
    EXPECT_EQ(response.content_type, "application/problem+json");
    EXPECT_THAT(response.body, HasSubstr("This route answers with application/json"));
}

struct Posted {
    std::string type;
    std::string body;
    int status;
    std::string part;
    friend void PrintTo(const Posted& one, std::ostream* out) { *out << one.body; }
};
class PostedBody : public RouterTest, public testing::WithParamInterface<Posted> {};
TEST_P(PostedBody, IsAcceptedOnlyIfItMatchesTheDocument) {
    const Response response = router_.handle(post("/v1/users", GetParam().type, GetParam().body));
    EXPECT_EQ(response.status, GetParam().status);
    EXPECT_THAT(response.body, HasSubstr(GetParam().part));
    EXPECT_EQ(posted_, response.status == 201 ? GetParam().body : "");
}
INSTANTIATE_TEST_SUITE_P(
    Table, PostedBody,
    testing::Values(Posted{"application/json", R"({ "name":"Ada"})", 201, ""},
                    Posted{"Application/JSON ; Charset=UTF-8", R"({"name":"Ada"})", 201, ""},
                    Posted{"application/json; charset=latin1", R"({"name":"Ada"})", 415, "(UTF-8)"},
                    Posted{"text/plain", R"({"name":"Ada"})", 415, "UNSUPPORTED_MEDIA_TYPE"},
                    Posted{"", R"({"name":"Ada"})", 415, "Content-Type: application/json"},
                    Posted{"application/merge-patch+json", R"({"name":"Ada"})", 415, ""},
                    Posted{"application/json", "", 400, "The body is empty"},
                    Posted{"application/json", "{", 400, "MALFORMED_JSON"},
                    Posted{"application/json", R"({"name":"Ada","name":"Bo"})", 400,
                           R"("pointer":"/name")"},
                    Posted{"application/json", R"({"nam":"Ada"})", 400, "2 fields are invalid"}));

TEST_F(RouterTest, TakesNoBodyWhereTheDocumentHasNone) {
    Request asked = request("DELETE", "/v1/users/7");
    asked.body = "x";
    EXPECT_THAT(router_.handle(asked).body, HasSubstr("this operation takes no request body"));
}

TEST_F(RouterTest, LetsAnOptionalBodyBeAbsent) {
    EXPECT_EQ(router_.handle(request("POST", "/v1/tick")).body, "\"without\"");
    EXPECT_EQ(router_.handle(post("/v1/tick", "application/json", "{}")).body, "\"with\"");
}

TEST_F(RouterTest, RefusesAQueryThatTheDocumentDoesNotHave) {
    const Response response = get("/v1/users?limt=1");
    EXPECT_EQ(response.status, 400);
    EXPECT_THAT(response.body, HasSubstr(R"("pointer":"?limt","code":"unknown_member")"));
}

TEST_F(RouterTest, ListsItsRoutesAsTheDocumentDoes) {
    EXPECT_EQ(router_.routes(), schema_.operations());
}

TEST_F(RouterTest, HP03_RequiresIfMatchIfConfiguredAndDocumented) {
    Router strict(schema_, open_guard_, log_, true);
    const auto done = [](const Request&) { return no_content(); };
    strict.add("GET", "/v1/users", done);  // the only operation here that accepts If-Match
    strict.add("DELETE", "/v1/users/{id}", done);
    EXPECT_EQ(strict.handle(request("GET", "/v1/users")).status, 428);
    Request named = request("GET", "/v1/users");
    named.headers.add("If-Match", "\"1\"");
    EXPECT_EQ(strict.handle(std::move(named)).status, 204);
    EXPECT_EQ(strict.handle(request("DELETE", "/v1/users/7")).status, 204);
}

TEST_F(RouterTest, HasNoRouteThatTheDocumentLacks) {
    EXPECT_THROW(router_.add("PUT", "/v1/users", [](const Request&) { return no_content(); }),
                 std::logic_error);
}

class FailingHandler : public testing::Test {
protected:
    template <class Failure>
    Response handle_with(const Failure& failure) {
        OpenGuard open_guard;
        Router router(schema_, open_guard, log_);
        router.add("GET", "/v1/users/{id}",
                   [failure](const Request&) -> Response { throw failure; });
        Request asked;
        asked.method = "GET";
        EXPECT_TRUE(read_target("/v1/users/7", asked));
        asked.correlation_id = "req-7";
        return router.handle(asked);
    }
    RecordedLog log_;
    ApiSchema schema_{sample_api};
    OpenGuard open_guard_;
};

TEST_F(FailingHandler, IsAnsweredWith503IfStorageIsUnavailable) {
    const Response response = handle_with(Unavailable("connection to 10.0.0.7 lost"));
    EXPECT_EQ(response.status, 503);
    EXPECT_EQ(response.headers.find("Retry-After"), "1");
    EXPECT_THAT(response.body, HasSubstr("STORAGE_UNAVAILABLE"));
    EXPECT_THAT(response.body, Not(HasSubstr("10.0.0.7")));
    ASSERT_THAT(log_.lines(), SizeIs(1));
    EXPECT_EQ(log_.lines()[0].correlation_id, "req-7");
}

TEST_F(FailingHandler, ReportsAnUnknownOutcome) {
    const Response response = handle_with(OutcomeUnknown("the connection was lost"));
    EXPECT_EQ(response.status, 503);
    EXPECT_EQ(response.headers.find("Retry-After"), "1");
    EXPECT_THAT(response.body, HasSubstr("COMMIT_OUTCOME_UNKNOWN"));
}

TEST_F(FailingHandler, RevealsNoInternals) {
    const Response response = handle_with(std::runtime_error("row 7 is broken"));
    EXPECT_EQ(response.status, 500);
    EXPECT_EQ(response.route, "/v1/users/{id}");
    EXPECT_THAT(response.body, HasSubstr("INTERNAL_ERROR"));
    EXPECT_THAT(response.body, Not(HasSubstr("row 7")));
    ASSERT_THAT(log_.lines(), SizeIs(1));
    EXPECT_EQ(log_.lines()[0].level, base::LogLevel::error);
}

TEST_F(FailingHandler, MayThrowAnything) { EXPECT_EQ(handle_with(42).status, 500); }

}  // namespace
}  // namespace sundial::http
