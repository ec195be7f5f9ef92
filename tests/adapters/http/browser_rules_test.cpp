#include "adapters/http/browser_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <utility>

#include "application/ports/failures.hpp"

namespace sundial::http {
namespace {

using testing::HasSubstr;

using Fields = std::vector<std::pair<std::string, std::string>>;

Request request_with(const std::string& method, const std::string& target, const Fields& fields) {
    Request request;
    request.method = method;
    EXPECT_TRUE(read_target(target, request));
    for (const auto& [name, value] : fields) request.headers.add(name, value);
    return request;
}

std::string code_of(const BrowserRules& rules, const Request& request) {
    const auto refusal = rules.refusal(request);
    return refusal ? std::string(kind_of(refusal->code).name) : "";
}

constexpr auto allowed = "";
constexpr auto host_refused = "HOST_NOT_ALLOWED";
constexpr auto origin_refused = "ORIGIN_NOT_ALLOWED";

struct Case {
    const char* name;
    std::string method;
    std::string target;
    Fields fields;
    const char* answer;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

const Fields own_host{{"Host", "127.0.0.1:8080"}};

Fields with(Fields fields, const Fields& more) {
    fields.insert(fields.end(), more.begin(), more.end());
    return fields;
}
Fields here(const Fields& more) { return with(own_host, more); }

class WithoutAKey : public testing::TestWithParam<Case> {};

TEST_P(WithoutAKey, ProgramsMayAskAndForeignPagesMayNot) {
    const BrowserRules rules({.https = false,
                              .allowed_hosts = {"Sundial.Internal"},
                              .cors_origins = {"https://app.example", "http://localhost:3000"}});
    const Case& one = GetParam();
    EXPECT_EQ(code_of(rules, request_with(one.method, one.target, one.fields)), one.answer);
}

INSTANTIATE_TEST_SUITE_P(
    Hosts, WithoutAKey,
    testing::Values(
        Case{"v4", "POST", "/v1/tick", {{"Host", "127.0.0.1:8080"}}, allowed},
        Case{"another_port", "POST", "/v1/tick", {{"Host", "127.0.0.1:9"}}, allowed},
        Case{"v4_of_loopback", "GET", "/v1/users", {{"Host", "127.9.9.9"}}, allowed},
        Case{"v6", "GET", "/v1/users", {{"Host", "[::1]:8080"}}, allowed},
        Case{"localhost", "GET", "/v1/users", {{"Host", "LocalHost:8080"}}, allowed},
        Case{"named_in_the_settings", "GET", "/v1/users", {{"Host", "sundial.internal"}}, allowed},
        Case{"rebound", "GET", "/v1/users", {{"Host", "evil.example"}}, host_refused},
        Case{
            "rebound_with_port", "GET", "/v1/users", {{"Host", "evil.example:8080"}}, host_refused},
        Case{"rebound_open_route", "GET", "/livez", {{"Host", "evil.example"}}, host_refused},
        Case{"rebound_page", "GET", "/", {{"Host", "evil.example"}}, host_refused},
        Case{"below_a_setting", "GET", "/", {{"Host", "a.sundial.internal"}}, host_refused},
        Case{"above_loopback", "GET", "/", {{"Host", "127.0.0.1.evil.example"}}, host_refused},
        Case{"below_localhost", "GET", "/", {{"Host", "a.localhost"}}, host_refused},
        Case{"any_address", "GET", "/", {{"Host", "0.0.0.0:8080"}}, host_refused},
        Case{"public_address", "GET", "/", {{"Host", "192.0.2.1"}}, host_refused},
        Case{"no_name", "GET", "/", {{"Host", ""}}, host_refused},
        Case{"none", "GET", "/", {}, host_refused},
        Case{"with_its_own_origin",
             "POST",
             "/v1/api-keys",
             {{"Host", "evil.example:8080"}, {"Origin", "http://evil.example:8080"}},
             host_refused}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Origins, WithoutAKey,
    testing::Values(
        Case{"own", "POST", "/v1/tick", here({{"Origin", "http://127.0.0.1:8080"}}), allowed},
        Case{"own_that_fetches", "POST", "/v1/tick",
             here({{"Origin", "http://127.0.0.1:8080"}, {"Sec-Fetch-Site", "same-origin"}}),
             allowed},
        Case{"own_by_name",
             "POST",
             "/v1/tick",
             {{"Host", "localhost"}, {"Origin", "http://localhost"}},
             allowed},
        Case{"own_behind_a_proxy_with_tls",
             "POST",
             "/v1/tick",
             {{"Host", "sundial.internal"}, {"Origin", "https://sundial.internal"}},
             allowed},
        Case{"listed", "POST", "/v1/tick", here({{"Origin", "https://app.example"}}), allowed},
        Case{"listed_that_fetches", "DELETE", "/v1/users/1",
             here({{"Origin", "http://localhost:3000"}, {"Sec-Fetch-Site", "same-site"}}), allowed},
        Case{"foreign", "POST", "/v1/tick", here({{"Origin", "https://evil.example"}}),
             origin_refused},
        Case{"foreign_reader", "GET", "/v1/users", here({{"Origin", "https://evil.example"}}),
             origin_refused},
        Case{"foreign_on_an_open_route", "GET", "/livez",
             here({{"Origin", "https://evil.example"}}), origin_refused},
        Case{"foreign_preflight", "OPTIONS", "/v1/users", here({{"Origin", "http://evil.example"}}),
             origin_refused},
        Case{"opaque", "POST", "/v1/tick", here({{"Origin", "null"}}), origin_refused},
        Case{"another_port", "POST", "/v1/tick", here({{"Origin", "http://127.0.0.1:8081"}}),
             origin_refused},
        Case{"another_scheme", "POST", "/v1/tick", here({{"Origin", "https://127.0.0.1:8080"}}),
             origin_refused},
        Case{"another_name_of_this_machine", "POST", "/v1/tick",
             here({{"Origin", "http://localhost:8080"}}), origin_refused},
        Case{"listed_by_another_scheme", "POST", "/v1/tick",
             here({{"Origin", "http://app.example"}}), origin_refused},
        Case{"below_a_listed_one", "POST", "/v1/tick", here({{"Origin", "https://a.app.example"}}),
             origin_refused},
        Case{"a_second_one", "POST", "/v1/tick",
             here({{"Origin", "http://127.0.0.1:8080"}, {"origin", "http://evil.example"}}),
             origin_refused},
        Case{"foreign_on_a_page", "GET", "/", here({{"Origin", "http://evil.example"}}),
             origin_refused}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Sites, WithoutAKey,
    testing::Values(
        Case{"typed_in", "GET", "/v1/users", here({{"Sec-Fetch-Site", "none"}}), allowed},
        Case{"same_origin", "GET", "/v1/users", here({{"Sec-Fetch-Site", "same-origin"}}), allowed},
        Case{"cross_site", "GET", "/v1/users", here({{"Sec-Fetch-Site", "cross-site"}}),
             origin_refused},
        Case{"same_site", "GET", "/v1/users", here({{"Sec-Fetch-Site", "same-site"}}),
             origin_refused},
        Case{"cross_site_on_an_open_route", "GET", "/openapi.json",
             here({{"Sec-Fetch-Site", "cross-site"}}), origin_refused},
        Case{"navigation_to_the_api", "GET", "/v1/users",
             here({{"Sec-Fetch-Site", "cross-site"},
                   {"Sec-Fetch-Mode", "navigate"},
                   {"Sec-Fetch-Dest", "document"}}),
             origin_refused},
        Case{"form", "POST", "/",
             here({{"Sec-Fetch-Site", "cross-site"},
                   {"Sec-Fetch-Mode", "navigate"},
                   {"Sec-Fetch-Dest", "document"}}),
             origin_refused},
        Case{"frame", "GET", "/ui/",
             here({{"Sec-Fetch-Site", "cross-site"},
                   {"Sec-Fetch-Mode", "navigate"},
                   {"Sec-Fetch-Dest", "iframe"}}),
             origin_refused},
        Case{"fetched_page", "GET", "/docs",
             here({{"Sec-Fetch-Site", "cross-site"},
                   {"Sec-Fetch-Mode", "no-cors"},
                   {"Sec-Fetch-Dest", "empty"}}),
             origin_refused},
        Case{"escaped_page", "GET", "/%75i/x", here({{"Sec-Fetch-Site", "cross-site"}}), allowed},
        Case{"beside_a_page", "GET", "/uix", here({{"Sec-Fetch-Site", "cross-site"}}),
             origin_refused}),
    [](const auto& info) { return info.param.name; });

TEST(BrowserRulesTest, LetLinksLeadToPagesThatDoNothing) {
    const BrowserRules rules({});
    const Fields link = here({{"Sec-Fetch-Site", "cross-site"},
                              {"Sec-Fetch-Mode", "navigate"},
                              {"Sec-Fetch-Dest", "document"}});
    for (const char* page :
         {"/", "/ui", "/ui/", "/ui/events/1", "/docs", "/docs/errors/NOT_READY", "/?utm=1"}) {
        EXPECT_EQ(code_of(rules, request_with("GET", page, link)), allowed) << page;
        EXPECT_EQ(code_of(rules, request_with("HEAD", page, link)), origin_refused) << page;
    }
}

TEST(BrowserRulesTest, TakeHttpsForTheOwnOriginWhereTheServerSpeaksIt) {
    const BrowserRules rules({.https = true, .allowed_hosts = {}, .cors_origins = {}});
    EXPECT_EQ(code_of(rules, request_with("GET", "/v1/users",
                                          here({{"Origin", "https://127.0.0.1:8080"}}))),
              allowed);
    EXPECT_EQ(code_of(rules, request_with("GET", "/v1/users",
                                          here({{"Origin", "http://127.0.0.1:8080"}}))),
              origin_refused);
}

TEST(BrowserRulesTest, SuggestACorrection) {
    const BrowserRules rules({});
    const auto host = rules.refusal(request_with("GET", "/", {{"Host", "evil.example:80"}}));
    ASSERT_TRUE(host);
    EXPECT_THAT(host->detail, HasSubstr("'evil.example' is not allowed"));
    EXPECT_THAT(host->detail, HasSubstr("http.allowed_hosts"));
    const auto odd = rules.refusal(request_with("GET", "/", {{"Host", "\xff\"<script>"}}));
    ASSERT_TRUE(odd);
    EXPECT_THAT(odd->detail, HasSubstr("The Host field is not allowed"));
    const auto page =
        rules.refusal(request_with("GET", "/", here({{"Origin", "https://evil.example"}})));
    ASSERT_TRUE(page);
    EXPECT_THAT(page->detail, HasSubstr("(https://evil.example)"));
    EXPECT_THAT(page->detail, HasSubstr("http.cors_origins"));
}

std::string error_about(const BrowserSettings& settings) {
    try {
        const BrowserRules rules(settings);
    } catch (const CannotStart& error) {
        return error.what();
    }
    return "";
}

TEST(BrowserRulesTest, TakeNamesAndOriginsOnly) {
    for (const char* wrong : {"http://a", "a:80", "*", "a b", ""}) {
        EXPECT_THAT(error_about({.https = false, .allowed_hosts = {wrong}, .cors_origins = {}}),
                    HasSubstr("http.allowed_hosts: '" + std::string(wrong) + "'"));
    }
    for (const char* wrong : {"*", "null", "app.example", "https://app.example/"}) {
        EXPECT_THAT(error_about({.https = false, .allowed_hosts = {}, .cors_origins = {wrong}}),
                    HasSubstr("http.cors_origins: '" + std::string(wrong) + "'"));
    }
}

}  // namespace
}  // namespace sundial::http
