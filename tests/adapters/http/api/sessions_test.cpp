#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "adapters/http/api/api_fixture.hpp"
#include "adapters/http/key_guard.hpp"
#include "adapters/http/session_cookie.hpp"
#include "support/fake_api_key_secrets.hpp"

namespace sundial::http {
namespace {

using testing::HasSubstr;

/// The product's guard before its routes of users and sessions.
class SessionApiTest : public ApiTest {
protected:
    SessionApiTest() {
        add_user_routes(guarded, {users_module, queries, clock});
        add_session_routes(guarded, {access.sessions, monotonic, false});
        key = access.create.run({.name = "ops", .role = Role::admin}, "req-1").value().text;
        access.keys.check_again();
    }
    Response send(const std::string& method, const std::string& target,
                  const std::string& body = {}, const std::string& cookie = {},
                  const std::string& csrf = {}, const std::string& host = "localhost:8080") {
        Request request;
        request.method = method;
        request.target = target;
        EXPECT_TRUE(read_target(target, request));
        request.correlation_id = "req-1";
        request.remote_address = "192.0.2.7";
        request.headers.add("Host", host);
        if (!cookie.empty()) request.headers.add("Cookie", cookie);
        if (!csrf.empty()) request.headers.add("Sundial-CSRF", csrf);
        if (forwarded_https) request.headers.add("X-Forwarded-Proto", "https");
        if (!body.empty()) request.headers.add("Content-Type", "application/json");
        request.body = body;
        return guarded.handle(std::move(request));
    }
    Response log_in(const std::string& with, const std::string& host = "localhost:8080") {
        return send("POST", "/v1/session", R"({"key":")" + with + "\"}", {}, {}, host);
    }
    /// `name=value` of the response's cookie.
    static std::string cookie_of(const Response& response) {
        const std::string field{response.headers.find("Set-Cookie").value_or("")};
        return field.substr(0, field.find(';'));
    }

    const std::string ada_json =
        R"({"firstName":"Ada","lastName":"Li","dateOfBirth":"1992-02-29","timezone":"UTC"})";
    bool forwarded_https = false;
    FakeApiKeySecrets key_secrets;
    AccessModule access{ports, key_secrets, std::chrono::hours{12}};
    KeyGuard guard{{.loopback = true}, access.keys, monotonic, BrowserRules({}), &access.sessions};
    Router guarded{product_api(), guard, log};
    std::string key;
};

TEST_F(SessionApiTest, ACookieHasTheRightsOfTheKey) {
    EXPECT_EQ(send("GET", "/v1/users").status, 401);
    const Response made = log_in(key);
    ASSERT_EQ(made.status, 201) << made.body;
    const std::string field{made.headers.find("Set-Cookie").value_or("")};
    EXPECT_THAT(field, HasSubstr("__Host-sundial="));
    EXPECT_THAT(field, HasSubstr("; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200"));
    EXPECT_EQ(made.headers.find("Cache-Control"), "no-store");
    const std::string cookie = cookie_of(made);
    EXPECT_EQ(send("GET", "/v1/users", {}, "theme=dark; " + cookie).status, 200);
    EXPECT_EQ(send("GET", "/v1/users", {}, cookie + "; " + cookie).status, 401);
    EXPECT_EQ(send("GET", "/v1/users", {}, "__Host-sundial=" + std::string(43, 'x')).status, 401);
    const Response shown = send("GET", "/v1/session", {}, cookie);
    EXPECT_EQ(shown.body, made.body);
    EXPECT_EQ(text_member(shown.body, "role"), "ADMIN");
}

TEST_F(SessionApiTest, AChangeNeedsTheTokenOfThePage) {
    const Response made = log_in(key);
    const std::string cookie = cookie_of(made), csrf = text_member(made.body, "csrfToken");
    const Response without = send("POST", "/v1/users", ada_json, cookie);
    EXPECT_EQ(without.status, 403);
    EXPECT_THAT(without.body, HasSubstr("CSRF_TOKEN_REQUIRED"));
    EXPECT_EQ(send("POST", "/v1/users", ada_json, cookie, "x" + csrf).status, 403);
    EXPECT_EQ(send("POST", "/v1/users", ada_json, cookie, csrf).status, 201);
}

TEST_F(SessionApiTest, ALogoutEndsTheSession) {
    const Response made = log_in(key);
    const std::string cookie = cookie_of(made), csrf = text_member(made.body, "csrfToken");
    EXPECT_EQ(send("DELETE", "/v1/session", {}, cookie).status, 403);
    const Response ended = send("DELETE", "/v1/session", {}, cookie, csrf);
    EXPECT_EQ(ended.status, 204);
    EXPECT_THAT(std::string(ended.headers.find("Set-Cookie").value_or("")), HasSubstr("Max-Age=0"));
    EXPECT_EQ(send("GET", "/v1/users", {}, cookie).status, 401);
    EXPECT_EQ(send("DELETE", "/v1/session", {}, cookie).status, 204);
}

TEST_F(SessionApiTest, AStreamEndsWithTheRightsOfItsCaller) {
    guarded.add("GET", "/v1/live", [](const Request& /*request*/) {
        Response response;
        response.stream = std::make_shared<const Stream>(
            Stream{1min, "", {}, [] { return text(200, "text/event-stream", "news"); }});
        return response;
    });
    const Response made = log_in(key);
    const std::string cookie = cookie_of(made), csrf = text_member(made.body, "csrfToken");
    const auto stream = send("GET", "/v1/live?topics=stats", {}, cookie).stream;
    ASSERT_TRUE(stream);
    EXPECT_EQ(stream->next().body, "news");
    ASSERT_EQ(send("DELETE", "/v1/session", {}, cookie, csrf).status, 204);
    const Response ended = stream->next();
    EXPECT_EQ(ended.status, 401);
    EXPECT_EQ(ended.body, "");
}

TEST_F(SessionApiTest, ALoginNeedsAValidKeyAndFailuresAreBounded) {
    EXPECT_EQ(log_in("sundial_sk_nothing").status, 401);
    Response last;
    for (int i = 0; i < 12; ++i) last = log_in("sundial_sk_nothing");
    EXPECT_EQ(last.status, 429);
    EXPECT_EQ(log_in(key).status, 201);  // a valid key always works
}

TEST_F(SessionApiTest, ALoginOverPlainHttpFromAnotherMachineIsRefused) {
    const Response refused = log_in(key, "sundial.example");
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.body, HasSubstr("HTTPS_REQUIRED"));
    EXPECT_THAT(refused.body, HasSubstr("Replace the key that you sent"));
    EXPECT_FALSE(refused.headers.find("Set-Cookie"));
    forwarded_https = true;
    EXPECT_EQ(log_in(key, "sundial.example").status, 201);
}

TEST_F(SessionApiTest, ACallerWithoutASessionNeedsNoToken) {
    const Response shown = get("/v1/users");
    EXPECT_EQ(shown.status, 200);
    Request request;
    request.method = "GET";
    request.target = "/v1/session";
    ASSERT_TRUE(read_target(request.target, request));
    request.headers.add("Host", "localhost");
    request.headers.add("Authorization", "Bearer " + key);
    EXPECT_THAT(guarded.handle(request).body, HasSubstr(R"("csrfToken":null)"));
}

}  // namespace
}  // namespace sundial::http
