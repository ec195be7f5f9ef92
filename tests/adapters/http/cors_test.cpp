#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/http/browser_rules.hpp"
#include "application/ports/failures.hpp"

namespace sundial::http {
namespace {

using testing::HasSubstr;

constexpr auto app = "https://app.example";

Request asked(const std::string& method, const std::string& origin, bool preflight = false) {
    Request request;
    request.method = method;
    if (!origin.empty()) request.headers.add("Origin", origin);
    if (preflight) request.headers.add("Access-Control-Request-Method", "PATCH");
    return request;
}

/// The API's answer, and whether it was asked.
struct Api {
    Response operator()(const Request& /*request*/) {
        ++asked;
        return json(status, "{}");
    }
    int status = 200;
    int asked = 0;
};

Response answer_of(const Cors& cors, Request request, Api& api) {
    return cors.answer(std::move(request), std::ref(api));
}

TEST(CorsTest, LetsPagesOfAListedOriginReadAnyAnswer) {
    const Cors cors({app, "http://localhost:3000"});
    for (const int status : {200, 201, 401, 404, 503}) {
        Api api{.status = status};
        const Response response = answer_of(cors, asked("GET", app), api);
        EXPECT_EQ(response.status, status);
        EXPECT_EQ(response.headers.find("Access-Control-Allow-Origin"), app);
        EXPECT_EQ(response.headers.find("Vary"), "Origin");
        EXPECT_THAT(std::string(*response.headers.find("Access-Control-Expose-Headers")),
                    HasSubstr("ETag"));
        EXPECT_FALSE(response.headers.find("Access-Control-Allow-Credentials"));
        EXPECT_EQ(api.asked, 1);
    }
}

TEST(CorsTest, AnswersThePreflightOfAListedOriginItself) {
    const Cors cors({app});
    Api api;
    const Response response = answer_of(cors, asked("OPTIONS", app, true), api);
    EXPECT_EQ(response.status, 204);
    EXPECT_EQ(api.asked, 0);
    EXPECT_EQ(response.headers.find("Access-Control-Allow-Origin"), app);
    EXPECT_EQ(response.headers.find("Access-Control-Allow-Methods"),
              "GET, HEAD, POST, PUT, PATCH, DELETE");
    EXPECT_THAT(std::string(*response.headers.find("Access-Control-Allow-Headers")),
                HasSubstr("Authorization"));
    EXPECT_EQ(response.headers.find("Access-Control-Max-Age"), "600");
}

TEST(CorsTest, SendsNoCorsHeadersToOtherOrigins) {
    const Cors cors({app});
    for (const char* origin : {"https://evil.example", "http://app.example", "null", ""}) {
        for (const bool preflight : {false, true}) {
            Api api{.status = 405};
            const Response response = answer_of(cors, asked("OPTIONS", origin, preflight), api);
            EXPECT_EQ(response.status, 405) << origin;
            EXPECT_EQ(api.asked, 1);
            EXPECT_FALSE(response.headers.find("Access-Control-Allow-Origin")) << origin;
            EXPECT_EQ(response.headers.find("Vary"), "Origin");
        }
    }
}

TEST(CorsTest, IsNotThereUnlessAnOriginIsListed) {
    const Cors cors({});
    Api api;
    const Response response = answer_of(cors, asked("OPTIONS", app, true), api);
    EXPECT_EQ(api.asked, 1);
    EXPECT_FALSE(response.headers.find("Access-Control-Allow-Origin"));
    EXPECT_FALSE(response.headers.find("Vary"));
}

TEST(CorsTest, TakesOriginsOnly) {
    EXPECT_THROW(Cors({"*"}), CannotStart);
    EXPECT_THROW(Cors({"https://app.example/path"}), CannotStart);
}

}  // namespace
}  // namespace sundial::http
