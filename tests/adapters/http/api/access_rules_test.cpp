#include "adapters/http/api/access_rules.hpp"

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "adapters/http/key_guard.hpp"
#include "adapters/http/router.hpp"
#include "adapters/memory/store.hpp"
#include "application/access/api_keys.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/failures.hpp"
#include "support/builders.hpp"
#include "support/fake_api_key_secrets.hpp"
#include "support/fake_ids.hpp"
#include "support/recorded_log.hpp"

namespace sundial::http {
namespace {

using testing::HasSubstr;

std::string product_document() {
    std::ostringstream text;
    text << std::ifstream{SUNDIAL_OPENAPI}.rdbuf();
    return text.str();
}

const ApiSchema& product_schema() {
    static const ApiSchema schema(product_document());
    return schema;
}

/// The role of an operation in the OpenAPI document: "READ", …, "" if open to every caller; "?" if
/// missing.
std::string documented_role(const Operation& operation) {
    static const boost::json::value document = boost::json::parse(product_document());
    std::string method = operation.method;
    for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
    const auto& described = document.at("paths").at(operation.pattern).at(method).as_object();
    const auto* security = described.if_contains("security");
    if (security == nullptr) return "?";
    if (security->as_array().empty()) return "";
    const auto* role = described.if_contains("x-sundial-role");
    if (role == nullptr) return "?";
    return std::string(role->as_string());
}

TEST(Access, IsDecidedForEveryOperationOfTheDocumentAndSaidThere) {
    for (const Operation& operation : product_schema().operations()) {
        const std::string name = operation.method + ' ' + operation.pattern;
        const AccessRule* const rule = access_rule(operation);
        ASSERT_NE(rule, nullptr) << name << " stands in openapi.json; say who may use it in the "
                                 << "table of src/adapters/http/api/access_rules.cpp";
        const std::string role{rule->role ? to_string(*rule->role) : ""};
        EXPECT_EQ(documented_role(operation), role)
            << name
            << R"( needs in openapi.json: "security": [{"apiKey": []}], "x-sundial-role": ")"
            << role << R"(", or "security": [] where the table says any_caller)";
    }
}

TEST(Access, IsDecidedOnceAndForNothingElse) {
    std::set<Operation> seen;
    for (const AccessRule& rule : access_rules()) {
        const Operation operation{std::string(rule.method), std::string(rule.pattern)};
        EXPECT_TRUE(product_schema().has(operation))
            << rule.method << ' ' << rule.pattern << " is not in openapi.json";
        EXPECT_TRUE(seen.insert(operation).second) << rule.method << ' ' << rule.pattern;
    }
}

class HandMono final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override { return time; }
    std::chrono::microseconds time{1000s};
};

class AwayStore final : public Store {
public:
    void transact(const std::function<bool(Transaction&)>& /*work*/) override {
        throw Unavailable("away");
    }
    void read(const std::function<void(Transaction&)>& /*work*/) override {
        throw Unavailable("away");
    }
    [[nodiscard]] bool open_here() override { return false; }
};

/// Every operation of the document behind the product's guard; each answers "done".
class Guarded : public testing::Test {
protected:
    Guarded() {
        for (const Operation& operation : product_schema().operations()) {
            router.add(operation.method, operation.pattern,
                       [](const Request&) { return json(200, "\"done\""); });
        }
    }
    std::string key(Role role) {
        const std::string made = create.run({.name = "x", .role = role}, "req-1").value().text;
        ring.check_again();
        return made;
    }
    Response call(const Operation& operation, const std::string& authorization = {},
                  const Headers& more = {}) {
        Request request;
        request.method = operation.method;
        request.headers = more;
        if (!more.find("Host")) request.headers.add("Host", "127.0.0.1:8080");
        if (!authorization.empty()) request.headers.add("Authorization", authorization);
        EXPECT_TRUE(read_target(operation.pattern, request));
        request.correlation_id = "req-1";
        request.remote_address = remote_address;
        return router.handle(std::move(request));
    }
    Response list_users(const std::string& authorization = {}) {
        return call({"GET", "/v1/users"}, authorization);
    }
    static std::string bearer(const std::string& text) { return "Bearer " + text; }

    static Headers with(const std::string& name, const std::string& value) {
        Headers headers;
        headers.add(name, value);
        return headers;
    }

    std::string remote_address = "192.0.2.7";
    memory::ManualClock clock{noon};
    memory::MemoryStore store{clock};
    FakeApiKeySecrets secrets;
    FakeIds ids;
    HandMono monotonic;
    CreateApiKey create{store, secrets, ids, [] { return std::vector{Role::admin}; }};
    ApiKeyRing ring{store, secrets, monotonic};
    KeyGuard guard{{.loopback = true, .requests_per_second = 0}, ring, monotonic};
    RecordedLog log;
    Router router{product_schema(), guard, log};
};

TEST_F(Guarded, LetsEachRoleUseOnlyItsRoutes) {
    const std::array<std::string, 3> keys{key(Role::read), key(Role::write), key(Role::admin)};
    for (const AccessRule& rule : access_rules()) {
        const Operation operation{std::string(rule.method), std::string(rule.pattern)};
        const std::string name = operation.method + ' ' + operation.pattern;
        const Response without = call(operation);
        // Sixty of them, because the limit of failures also counts requests without a key.
        monotonic.time += 1min;
        if (!rule.role) {
            EXPECT_NE(without.status, 401) << name;
            continue;
        }
        EXPECT_EQ(without.status, 401) << name;
        EXPECT_EQ(without.headers.find("WWW-Authenticate"), "Bearer");
        for (const Role role : {Role::read, Role::write, Role::admin}) {
            const Response with = call(operation, bearer(keys.at(static_cast<std::size_t>(role))));
            if (role < *rule.role) {
                EXPECT_EQ(with.status, 403) << name;
                EXPECT_THAT(with.body,
                            HasSubstr(R"("role":")" + std::string(to_string(*rule.role))));
            } else {
                EXPECT_TRUE(with.status != 401 && with.status != 403) << name << with.status;
            }
        }
    }
}

TEST_F(Guarded, HidesTheRoutesFromRequestsWithoutAKey) {
    const std::string reader = bearer(key(Role::read));
    EXPECT_EQ(call({"GET", "/v1/nothing"}).status, 401);
    EXPECT_EQ(call({"PUT", "/v1/users"}).status, 401);
    EXPECT_EQ(call({"GET", "/v1/nothing"}, reader).status, 404);
    EXPECT_EQ(call({"PUT", "/v1/users"}, reader).status, 405);
}

TEST_F(Guarded, RequiresNoKeyOnLoopbackWhileNoKeyExists) {
    const Response response = list_users();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.actor, "loopback");
    EXPECT_EQ(list_users("Bearer sundial_sk_x").status, 401);  // a wrong key never works
    (void)key(Role::read);
    EXPECT_EQ(list_users().status, 401);
}

TEST_F(Guarded, RefusesForeignHostsAndPagesOnEveryRouteWhileThereIsNoKey) {
    const Headers rebound = with("Host", "evil.example:8080");
    const Headers page = with("Origin", "https://evil.example");
    const Headers no_cors = with("Sec-Fetch-Site", "cross-site");
    std::vector<Operation> operations = product_schema().operations();
    operations.push_back({"GET", "/v1/nothing"});
    operations.push_back({"OPTIONS", "/v1/users"});
    for (const Operation& operation : operations) {
        const std::string name = operation.method + ' ' + operation.pattern;
        const Response host = call(operation, {}, rebound);
        EXPECT_EQ(host.status, 403) << name;
        EXPECT_THAT(host.body, HasSubstr(R"("code":"HOST_NOT_ALLOWED")")) << name;
        const Response origin = call(operation, {}, page);
        EXPECT_EQ(origin.status, 403) << name;
        EXPECT_THAT(origin.body, HasSubstr(R"("code":"ORIGIN_NOT_ALLOWED")")) << name;
        const bool is_page = operation.pattern == "/" || operation.pattern.starts_with("/docs") ||
                             operation.pattern.starts_with("/ui") ||
                             operation.pattern.starts_with("/llms");
        if (is_page) continue;  // links may lead there
        EXPECT_EQ(call(operation, {}, no_cors).status, 403) << name;
    }
}

TEST_F(Guarded, TrustsAKeyFromAnyHostAndPage) {
    const std::string reader = bearer(key(Role::read));
    EXPECT_EQ(call({"GET", "/v1/users"}, reader, with("Host", "sundial.example")).status, 200);
    EXPECT_EQ(call({"GET", "/v1/users"}, reader, with("Origin", "https://a.example")).status, 200);
    EXPECT_EQ(call({"GET", "/livez"}, {}, with("Host", "sundial.example")).status, 200);
    EXPECT_EQ(call({"GET", "/v1/users"}, {}, with("Host", "sundial.example")).status, 401);
}

TEST_F(Guarded, AnswersOpenRoutesWithoutTheDatabase) {
    AwayStore away;
    ApiKeyRing unknown{away, secrets, monotonic};
    KeyGuard unsure{{}, unknown, monotonic};
    const Operation operation{"GET", "/healthz"};
    const auto admission = [&](const std::string& host) {
        Request request;
        request.headers.add("Host", host);
        EXPECT_TRUE(read_target("/healthz", request));
        return unsure.admit(request, &operation);
    };
    EXPECT_FALSE(admission("127.0.0.1").refused);
    ASSERT_TRUE(
        admission("evil.example").refused);  // while the keys are unknown, as if there were none
}

TEST_F(Guarded, RequiresAKeyElsewhereEvenIfNoKeyExists) {
    KeyGuard elsewhere{{.loopback = false}, ring, monotonic};
    Request request;
    request.method = "GET";
    const Operation operation{"GET", "/v1/users"};
    const Admission admission = elsewhere.admit(request, &operation);
    ASSERT_TRUE(admission.refused);
    EXPECT_EQ(admission.refused->status, 401);
}

TEST_F(Guarded, ReadsOneBearerFieldAndNothingElse) {
    const std::string text = key(Role::admin);
    EXPECT_EQ(list_users("Bearer " + text).status, 200);
    EXPECT_EQ(list_users("bearer " + text).status, 200);
    for (const std::string& wrong : {text, "Basic " + text, "Bearer  " + text, "Bearer" + text,
                                     "Bearer " + text + " ", std::string("Bearer ")}) {
        EXPECT_EQ(list_users(wrong).status, 401) << wrong;
    }
    Headers twice;
    twice.add("Authorization", "Bearer " + text);
    EXPECT_EQ(call({"GET", "/v1/users"}, "Bearer " + text, twice).status, 401);
}

TEST_F(Guarded, RecordsTheCallerWithoutTheSecret) {
    const std::string text = key(Role::read);
    const Response response = list_users(bearer(text));
    EXPECT_EQ(response.actor, "key:" + parse_key_text(text)->handle);
    const Response other =
        call({"GET", "/v1/users/0199aaaa-0000-7000-8000-000000000001"}, bearer(text));
    EXPECT_EQ(other.subject, "0199aaaa-0000-7000-8000-000000000001");
    EXPECT_EQ(call({"GET", "/v1/users/ext:ada@example.com"}, bearer(text)).subject, "");
}

TEST_F(Guarded, AnswersTenFailuresAMinuteAndThen429) {
    const std::string right = bearer(key(Role::read));
    for (int i = 0; i < 10; ++i) EXPECT_EQ(list_users("Bearer x").status, 401);
    const Response refused = list_users("Bearer x");
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.headers.find("Retry-After"), "60");
    EXPECT_THAT(refused.body, HasSubstr(R"("code":"RATE_LIMITED")"));
    EXPECT_EQ(list_users(right).status, 200);  // failures of others do not lock out a valid key
    monotonic.time += 1min;
    EXPECT_EQ(list_users("Bearer x").status, 401);
}

TEST_F(Guarded, CountsFailuresOfIPv6ByTheFirst64Bits) {
    (void)key(Role::read);
    for (int i = 0; i < 10; ++i) {
        remote_address = "2001:db8:1:2::" + std::to_string(i + 1);
        EXPECT_EQ(list_users("Bearer x").status, 401);
    }
    remote_address = "2001:db8:1:2:ffff::1";
    EXPECT_EQ(list_users("Bearer x").status, 429);
    remote_address = "2001:db8:1:3::1";
    EXPECT_EQ(list_users("Bearer x").status, 401);
}

TEST_F(Guarded, AnswersTooEarlyToAPossibleReplay) {
    const std::string writer = bearer(key(Role::write));
    Headers early;
    early.add("Early-Data", "1");
    const Response refused = call({"POST", "/v1/users"}, writer, early);
    EXPECT_EQ(refused.status, 425);
    EXPECT_THAT(refused.body, HasSubstr(R"("code":"TOO_EARLY")"));
    EXPECT_EQ(call({"GET", "/v1/users"}, writer, early).status, 200);
}

TEST_F(Guarded, AnswersUnavailableWhileTheKeysAreUnknown) {
    AwayStore away;
    ApiKeyRing unknown{away, secrets, monotonic};
    KeyGuard unsure{{}, unknown, monotonic};
    Router unsure_router{product_schema(), unsure, log};
    Request request;
    request.method = "GET";
    ASSERT_TRUE(read_target("/v1/users", request));
    EXPECT_EQ(unsure_router.handle(std::move(request)).status, 503);
}

TEST_F(Guarded, LeavesHeavyRequestsWithoutAnEffectToSeats) {
    const std::string reader = bearer(key(Role::read)), admin = bearer(key(Role::admin));
    const Response list = call({"GET", "/v1/events"}, reader);
    ASSERT_TRUE(list.heavy);
    EXPECT_TRUE(list.heavy->client.starts_with("key:"));
    EXPECT_EQ(list.route, "/v1/events");
    EXPECT_EQ(list.heavy->run().body, "\"done\"");
    EXPECT_FALSE(call({"GET", "/v1/events/{id}"}, reader).heavy);
    EXPECT_FALSE(call({"POST", "/v1/events"}, admin).heavy);
    EXPECT_FALSE(call({"GET", "/v1/events"}).heavy) << "it is refused at once";
}

TEST_F(Guarded, BoundsTheRateOfAKeyAndReportsTheLimit) {
    KeyGuard slow{{.loopback = true, .requests_per_second = 2}, ring, monotonic};
    Router slow_router{product_schema(), slow, log};
    slow_router.add("GET", "/v1/users", [](const Request&) { return json(200, "1"); });
    const auto ask = [&](const std::string& authorization) {
        Request request;
        request.method = "GET";
        request.headers.add("Authorization", authorization);
        EXPECT_TRUE(read_target("/v1/users", request));
        return slow_router.handle(std::move(request));
    };
    const std::string one = bearer(key(Role::read)), two = bearer(key(Role::read));
    const Response first = ask(one);
    EXPECT_EQ(first.status, 200);
    EXPECT_EQ(first.headers.find("RateLimit-Policy"), R"("key";q=2;w=1)");
    EXPECT_EQ(first.headers.find("RateLimit"), R"("key";r=1;t=1)");
    EXPECT_EQ(ask(one).status, 200);
    const Response refused = ask(one);
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.headers.find("Retry-After"), "1");
    EXPECT_EQ(refused.headers.find("RateLimit"), R"("key";r=0;t=1)");
    EXPECT_EQ(ask(two).status, 200);
    monotonic.time += 1s;
    EXPECT_EQ(ask(one).status, 200);
}

TEST(Router, RefusesARouteWithoutAnAccessRule) {
    class Undecided final : public Guard {
        [[nodiscard]] bool knows(const Operation& /*operation*/) const override { return false; }
        Admission admit(Request& /*request*/, const Operation* /*operation*/) override {
            return {};
        }
        [[nodiscard]] bool still_admits(const Request& /*request*/) override { return true; }
    } undecided;
    RecordedLog log;
    Router router{product_schema(), undecided, log};
    const auto add = [&] {
        router.add("GET", "/v1/users", [](const Request&) { return no_content(); });
    };
    try {
        add();
        FAIL() << "it was added";
    } catch (const std::logic_error& error) {
        EXPECT_STREQ(error.what(),
                     "no access rule exists for GET /v1/users: add it to the table in "
                     "adapters/http/api/access_rules.cpp");
    }
}

}  // namespace
}  // namespace sundial::http
