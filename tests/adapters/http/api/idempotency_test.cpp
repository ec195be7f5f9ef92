#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <ostream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "adapters/http/api/api_fixture.hpp"
#include "adapters/http/key_guard.hpp"
#include "application/access/api_keys.hpp"
#include "application/ports/failures.hpp"
#include "support/fake_api_key_secrets.hpp"

/// The rows of the conformance table on Idempotency-Key that concern HTTP; the others are in
/// tests/contract/answer_once_contract.cpp.
namespace sundial::http {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr auto ada_json =
    R"({"firstName":"Ada","lastName":"Li","dateOfBirth":"1992-01-06","timezone":"Europe/Paris"})";
constexpr auto ada_otherwise =
    "{ \"timezone\": \"Europe/Paris\", \"lastName\":\"Li\",\n"
    R"("dateOfBirth":"1992-01-06","firstName":"\u0041da"})";
constexpr auto bea_json =
    R"({"firstName":"Bea","lastName":"Li","dateOfBirth":"1992-01-06","timezone":"Europe/Paris"})";

Headers with_key(const std::string& key) {
    Headers headers;
    headers.add("Idempotency-Key", key);
    return headers;
}
Headers with_key_and(const std::string& key, const std::string& name, const std::string& value) {
    Headers headers = with_key(key);
    headers.add(name, value);
    return headers;
}
bool is_replay(const Response& response) {
    return response.headers.find("Idempotency-Replayed") == "true";
}

class KeyedApi : public ApiTest {
protected:
    std::size_t users() { return queries.users({}).items.size(); }
    /// Sends the same request twice; the second response equals the first.
    void expect_replay(const std::string& method, const std::string& target,
                       const std::string& body = {}, const Headers& headers = with_key("k")) {
        const Response first = call(method, target, body, headers);
        const Response second = call(method, target, body, headers);
        EXPECT_FALSE(is_replay(first)) << method << ' ' << target;
        EXPECT_TRUE(is_replay(second)) << method << ' ' << target << ": " << first.body;
        EXPECT_EQ(second.status, first.status);
        EXPECT_EQ(second.body, first.body);
        EXPECT_EQ(second.content_type, first.content_type);
        EXPECT_EQ(second.headers.find("ETag"), first.headers.find("ETag"));
        EXPECT_EQ(second.headers.find("Location"), first.headers.find("Location"));
    }
};

TEST_F(KeyedApi, ID02_AnswersTheSameAgainWithAllThatBelongsToIt) {
    expect_replay("POST", "/v1/users", ada_json);
    EXPECT_EQ(users(), 1U);
}

TEST_F(KeyedApi, ID03_KnowsARequestInAnotherSpelling) {
    const Response first = call("POST", "/v1/users", ada_json, with_key("k"));
    EXPECT_EQ(first.status, 201);
    const Response second = call("POST", "/v1/users", ada_otherwise, with_key("\"k\""));
    EXPECT_TRUE(is_replay(second));
    EXPECT_EQ(second.body, first.body);
}

TEST_F(KeyedApi, ID04_ID05_RefusesAnotherRequestUnderTheKey) {
    const std::string id = text_member(call("POST", "/v1/users", ada_json).body, "id");
    const std::string target = "/v1/users/" + id, edit = R"({"lastName":"Lo"})";
    EXPECT_EQ(call("PATCH", target, edit, with_key("k")).status, 200);
    const auto refused = [&](const std::string& method, const std::string& where,
                             const std::string& body, const Headers& headers) {
        const Response response = call(method, where, body, headers);
        EXPECT_EQ(response.status, 422) << method << ' ' << where << ' ' << body;
        EXPECT_THAT(response.body, HasSubstr("IDEMPOTENCY_KEY_REUSED"));
        EXPECT_THAT(response.headers.find("Link").value_or(""), HasSubstr("idempotency"));
    };
    refused("PATCH", target, R"({"lastName":"La"})", with_key("k"));
    refused("PUT", target, edit, with_key("k"));
    refused("POST", "/v1/users", ada_json, with_key("k"));
    refused("DELETE", target + "?history=keep", "", with_key("k"));
    refused("PATCH", target, edit, with_key_and("k", "If-Match", "\"2\""));
    EXPECT_TRUE(is_replay(call("PATCH", target, edit, with_key("k"))));
}

TEST_F(KeyedApi, ID08_WaitsForTheFirstIfAskedTo) {
    IdempotencyRecord under_way{.scope = {.tenant = "", .principal = "", .key = "k"},
                                .fingerprint = {},
                                .leased_until = clock.now() + 1min,
                                .expires_at = clock.now() + 24h};
    // The state left by another instance during a request with effects outside the store.
    const Headers patient = with_key_and("k", "Prefer", "respond-async, wait=5");
    const Response first = call("POST", "/v1/users", ada_json, with_key("probe"));
    write([&](Transaction& tx) {
        under_way.fingerprint =
            tx.idempotency().lock({.tenant = "", .principal = "", .key = "probe"})->fingerprint;
        tx.idempotency().put(under_way);
    });
    const Response refused = call("POST", "/v1/users", ada_json, with_key("k"));
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(refused.headers.find("Retry-After"), "60");
    EXPECT_THAT(refused.body, HasSubstr("IDEMPOTENCY_IN_PROGRESS"));

    const Response waiting = call("POST", "/v1/users", ada_json, patient);
    ASSERT_TRUE(waiting.later);
    EXPECT_EQ(waiting.later->at_most, 5s);
    EXPECT_GT(waiting.later->check_after, 0ms);
    const Response still = waiting.later->answer(false);
    ASSERT_TRUE(still.later);
    EXPECT_EQ(still.later->answer(true).status, 409);

    write([&](Transaction& tx) {
        under_way.answer = "201\nETag: \"1\"\n\n{}";
        tx.idempotency().put(under_way);
    });
    const Response answered = still.later->answer(false);
    EXPECT_TRUE(is_replay(answered));
    EXPECT_EQ(answered.status, 201);
    EXPECT_EQ(answered.headers.find("ETag"), "\"1\"");
    EXPECT_EQ(first.status, 201);
}

TEST_F(KeyedApi, ID13_KeepsAFinalRefusal) {
    const std::string missing_user = "/v1/users/01990000-0000-7000-8000-000000000009";
    expect_replay("PATCH", missing_user, R"({"lastName":"Lo"})", with_key("absent"));
    expect_replay("POST", "/v1/users",
                  R"({"firstName":"A","lastName":"B","dateOfBirth":"1992-01-06",)"
                  R"("timezone":"UTC","externalId":"x"})",
                  with_key("made"));
    expect_replay("POST", "/v1/users",
                  R"({"firstName":"C","lastName":"D","dateOfBirth":"1992-01-06",)"
                  R"("timezone":"UTC","externalId":"x"})",
                  with_key("conflict"));
    // The response stays, although a new request would get another one.
    const Response first = call("DELETE", "/v1/users/ext:y", "", with_key("late"));
    EXPECT_EQ(first.status, 404);
    EXPECT_EQ(call("PUT", "/v1/users/ext:y", ada_json).status, 201);
    EXPECT_EQ(call("DELETE", "/v1/users/ext:y", "", with_key("late")).status, 404);
}

TEST_F(KeyedApi, ID14_ID15_ForgetsInvalidRequests) {
    const std::string wrong =
        std::string(ada_json).replace(std::string(ada_json).find("Europe"), 6, "Mars");
    // Refused by the use case.
    EXPECT_EQ(call("POST", "/v1/users", wrong, with_key("k")).status, 400);
    // Refused by the OpenAPI document.
    EXPECT_EQ(call("POST", "/v1/users", "{}", with_key("k")).status, 400);
    EXPECT_EQ(call("POST", "/v1/users", "{", with_key("k")).status, 400);  // not JSON
    EXPECT_EQ(call("TRACE", "/v1/users", "", with_key("k")).status, 405);
    const Response made = call("POST", "/v1/users", ada_json, with_key("k"));
    EXPECT_EQ(made.status, 201);
    EXPECT_FALSE(is_replay(made));
}

TEST_F(KeyedApi, ID14_ForgetsAFailedPrecondition) {
    const std::string target =
        "/v1/users/" + text_member(call("POST", "/v1/users", ada_json).body, "id");
    const Headers too_new = with_key_and("k", "If-Match", "\"2\"");
    const std::string edit = R"({"lastName":"Lo"})";
    EXPECT_EQ(call("PATCH", target, edit, too_new).status, 412);
    EXPECT_EQ(call("PATCH", target, R"({"lastName":"La"})").status, 200);  // now at version 2
    EXPECT_EQ(call("PATCH", target, edit, too_new).status, 200);
}

struct BadKey {
    std::string name;
    std::vector<std::string> fields;
    std::string code;
    friend void PrintTo(const BadKey& one, std::ostream* out) { *out << one.name; }
};
class InvalidKey : public KeyedApi, public testing::WithParamInterface<BadKey> {};
TEST_P(InvalidKey, ID16_IsRefusedWithItsPlaceAndALink) {
    Headers headers;
    for (const std::string& field : GetParam().fields) headers.add("Idempotency-Key", field);
    const Response response = call("POST", "/v1/users", ada_json, headers);
    EXPECT_EQ(response.status, 400);
    EXPECT_THAT(response.body, AllOf(HasSubstr(R"("pointer":"Idempotency-Key")"),
                                     HasSubstr("\"code\":\"" + GetParam().code + '"')));
    EXPECT_EQ(response.headers.find("Link"), R"(</docs/guide/idempotency>; rel="help")");
    EXPECT_EQ(users(), 0U);
}
INSTANTIATE_TEST_SUITE_P(Table, InvalidKey,
                         testing::Values(BadKey{"empty", {""}, "required"},
                                         BadKey{"empty_quoted", {"\"\""}, "required"},
                                         BadKey{"long", {std::string(256, 'k')}, "too_long"},
                                         BadKey{"control", {"a\x01z"}, "bad_format"},
                                         BadKey{"blank", {"a z"}, "bad_format"},
                                         BadKey{"not_ascii", {"é"}, "bad_format"},
                                         BadKey{"twice", {"a", "a"}, "bad_format"},
                                         BadKey{"open_quote", {"\"a"}, "bad_format"},
                                         BadKey{"quote_inside", {"\"a\"b\""}, "bad_format"}),
                         [](const auto& info) { return info.param.name; });

TEST_F(KeyedApi, ID16_IsRefusedWhereItIsMissingAndRequired) {
    const ApiSchema strict{R"({"paths":{"/v1/things":{"post":{
        "parameters":[{"name":"Idempotency-Key","in":"header","required":true,"schema":{"type":"string"}}],
        "responses":{"204":{}}}}}})"};
    Router strict_router{strict, open_guard, log, false, &keyed};
    strict_router.add("POST", "/v1/things", [](const Request&) { return no_content(); });
    Request request;
    request.method = "POST";
    ASSERT_TRUE(read_target("/v1/things", request));
    const Response refused = strict_router.handle(request);
    EXPECT_EQ(refused.status, 400);
    EXPECT_THAT(refused.body, AllOf(HasSubstr(R"("pointer":"Idempotency-Key")"),
                                    HasSubstr(R"("code":"required")")));
    EXPECT_EQ(refused.headers.find("Link"), R"(</docs/guide/idempotency>; rel="help")");
    request.headers.add("Idempotency-Key", "k");
    EXPECT_EQ(strict_router.handle(request).status, 204);
}

TEST_F(KeyedApi, TakesTheLongestKeyAndQuotedOnes) {
    expect_replay("POST", "/v1/users", ada_json, with_key(std::string(255, 'k')));
    expect_replay("POST", "/v1/users", bea_json, with_key(R"("a\"b\\c")"));
}

TEST_F(KeyedApi, ID17_ReplaysAnEditUnderItsPrecondition) {
    const std::string target =
        "/v1/users/" + text_member(call("POST", "/v1/users", ada_json).body, "id");
    expect_replay("PATCH", target, R"({"lastName":"Lo"})", with_key_and("k", "If-Match", "\"1\""));
    EXPECT_THAT(get(target).body, HasSubstr(R"("version":2)"));
}

TEST_F(KeyedApi, ID21_IgnoresAKeyWhereNothingChanges) {
    for (const char* method : {"GET", "HEAD"}) {
        for (int i = 0; i < 2; ++i) {
            const Response response =
                call(method, "/v1/users", "", with_key(std::string(300, 'k')));
            EXPECT_EQ(response.status, 200);
            EXPECT_FALSE(is_replay(response));
        }
    }
}

TEST_F(KeyedApi, KeepsAnAnswerThatShowsASecretSealed) {
    const std::string endpoint =
        R"({"name":"CRM","type":"WEBHOOK","url":"https://crm.example/hook"})";
    const Response first = call("POST", "/v1/endpoints", endpoint, with_key("k"));
    const std::string secret = text_member(first.body, "secret");
    ASSERT_THAT(secret, HasSubstr("whsec_"));
    write([&](Transaction& tx) {
        const auto kept = tx.idempotency().lock({.tenant = "", .principal = "", .key = "k"});
        ASSERT_TRUE(kept);
        EXPECT_TRUE(kept->sealed);
        EXPECT_THAT(*kept->answer, Not(HasSubstr(secret)));
    });
    EXPECT_EQ(call("POST", "/v1/endpoints", endpoint, with_key("k")).body, first.body);
    expect_replay("POST", "/v1/endpoints/" + text_member(first.body, "id") + "/rotate-secret", "",
                  with_key("r"));
}

TEST_F(KeyedApi, RefusesToKeepASecretWithoutAnEncryptionKey) {
    seal.has_key = false;
    const std::string endpoint =
        R"({"name":"CRM","type":"WEBHOOK","url":"https://crm.example/hook"})";
    const Response refused = call("POST", "/v1/endpoints", endpoint, with_key("k"));
    EXPECT_EQ(refused.status, 400);
    EXPECT_THAT(refused.body, HasSubstr("security.encryption_key"));
    EXPECT_EQ(call("GET", "/v1/endpoints").body.find("CRM"), std::string::npos);
    EXPECT_EQ(call("POST", "/v1/endpoints", endpoint).status, 201);
}

TEST_F(KeyedApi, WakesTheWorkerOnceTheEventCanBeSeen) {
    const std::string event =
        R"({"eventType":"REMINDER","targetTimestampUTC":"now+1h","deliveryPayload":{}})";
    wakeups.hints.clear();
    expect_replay("POST", "/v1/events", event);
    EXPECT_EQ(wakeups.hints.size(), 1U);
}

/// A test delivery contacts the receiver, so it cannot be part of a transaction.
TEST_F(KeyedApi, TestsAnEndpointOnce) {
    const std::string endpoint =
        R"({"name":"CRM","type":"WEBHOOK","url":"https://crm.example/hook"})";
    const std::string id = text_member(call("POST", "/v1/endpoints", endpoint).body, "id");
    expect_replay("POST", "/v1/endpoints/" + id + "/test");
}

/// Every operation of this fixture, whatever its response.
TEST_F(KeyedApi, ReplaysAnyOperation) {
    const std::string user = text_member(call("POST", "/v1/users", ada_json).body, "id");
    const std::string event =
        text_member(call("POST", "/v1/events",
                         R"({"eventType":"R","targetTimestampUTC":"now+1h","deliveryPayload":{}})")
                        .body,
                    "id");
    struct Asked {
        std::string method, target, body;
    };
    const std::vector<Asked> all{
        {"POST", "/v1/events",
         R"({"eventType":"R","targetTimestampUTC":"now","deliveryPayload":{}})"},
        {"PATCH", "/v1/events/" + event, R"({"priority":"HIGH"})"},
        {"DELETE", "/v1/events/" + event, ""},
        {"POST", "/v1/events/" + event + "/retry", ""},
        {"PUT", "/v1/users/ext:new", ada_json},
        {"PUT", "/v1/users/" + user, R"({"lastName":"Lo"})"},
        {"DELETE", "/v1/users/" + user, ""},
        {"POST", "/user", ada_json},
        {"POST", "/users", ada_json},
        {"PUT", "/user/" + user, R"({"lastName":"Lo"})"},
        {"DELETE", "/user/" + user, ""},
        {"PATCH", "/v1/schedules/ext:birthday", R"({"enabled":false,"note":"later"})"},
        {"POST", "/v1/schedules/ext:none/trigger", ""},
        {"POST", "/v1/schedules",
         R"({"eventType":"X","trigger":{"every":"PT1H"},"timezone":"UTC","payload":{}})"},
        {"DELETE", "/v1/schedules/ext:none", ""},
        {"PATCH", "/v1/endpoints/ext:none", R"({"name":"x"})"},
        {"PUT", "/v1/endpoints/ext:queue", R"({"name":"Q","type":"PULL"})"},
        {"DELETE", "/v1/endpoints/ext:none", ""},
        {"DELETE", "/v1/endpoints/ext:none/inbox", ""}};
    int number = 0;
    for (const Asked& one : all) {
        expect_replay(one.method, one.target, one.body,
                      with_key("walk-" + std::to_string(++number)));
    }
}

TEST_F(KeyedApi, RollsBackARequestThatThrows) {
    router.add("POST", "/v1/tick", [this](const Request&) -> Response {
        (void)create_user.run(ada(), "req-1");
        throw Unavailable("it is away");
    });
    EXPECT_EQ(call("POST", "/v1/tick", "", with_key("k")).status, 503);
    EXPECT_EQ(users(), 0U);
}

/// Records for each transaction whether it is nested, and loses the response to one.
class Boundaries final : public Store {
public:
    explicit Boundaries(Store& store) : store_(store) {}
    void transact(const std::function<bool(Transaction&)>& work) override {
        inside.push_back(store_.open_here());
        store_.transact(work);
        if (std::exchange(lose_the_next_answer, false)) throw Unavailable("connection reset");
    }
    void read(const std::function<void(Transaction&)>& work) override {
        inside.push_back(store_.open_here());
        store_.read(work);
    }
    [[nodiscard]] bool open_here() override { return store_.open_here(); }

    std::vector<bool> inside;
    bool lose_the_next_answer = false;

private:
    Store& store_;
};

/// Operations that may take many transactions also do so under a key.
class KeyedSchedules : public KeyedApi {
protected:
    KeyedSchedules() {
        add_schedule_routes(observed, {bounded_module, queries, zones});
        EXPECT_EQ(call("POST", "/v1/schedules",
                       R"({"externalId":"job","eventType":"X","trigger":{"every":"PT1H"},)"
                       R"("timezone":"UTC","payload":{}})")
                      .status,
                  201);
    }
    Response ask(const std::string& method, const std::string& target, std::string body = {}) {
        Request request;
        request.method = method;
        request.headers = with_key("k");
        if (!body.empty()) request.headers.add("Content-Type", "application/json");
        request.body = std::move(body);
        EXPECT_TRUE(read_target(target, request));
        return observed.handle(std::move(request));
    }

    Boundaries boundaries{store};
    const ModulePorts bounded{.instance = instance_a,
                              .store = boundaries,
                              .zones = zones,
                              .ids = ids,
                              .random = random,
                              .monotonic = monotonic,
                              .wakeups = wakeups,
                              .log = log};
    SchedulesModule bounded_module{bounded, operations};
    Router observed{product_api(), open_guard, log, false, &keyed};
};

TEST_F(KeyedSchedules, AreDeletedInTransactionsOfTheirOwn) {
    EXPECT_EQ(ask("DELETE", "/v1/schedules/ext:job").status, 204);
    EXPECT_THAT(boundaries.inside, AllOf(Not(IsEmpty()), Each(false)));
    const Response again = ask("DELETE", "/v1/schedules/ext:job");
    EXPECT_EQ(again.status, 204);
    EXPECT_TRUE(is_replay(again));
}

TEST_F(KeyedSchedules, AreDeletedAlthoughTheResponseWasLost) {
    boundaries.lose_the_next_answer = true;
    EXPECT_EQ(ask("DELETE", "/v1/schedules/ext:job").status, 503);
    EXPECT_EQ(ask("DELETE", "/v1/schedules/ext:job").status, 204);
    EXPECT_TRUE(is_replay(ask("DELETE", "/v1/schedules/ext:job")));
}

TEST_F(KeyedSchedules, ThatWereNeverHeldAreNotFound) {
    EXPECT_EQ(ask("DELETE", "/v1/schedules/ext:none").status, 404);
    EXPECT_TRUE(is_replay(ask("DELETE", "/v1/schedules/ext:none")));
}

TEST_F(KeyedSchedules, TryABackfillOutsideOfAnyTransaction) {
    const std::string backfill_body = R"({"from":"now-2h","to":"now","dryRun":true})";
    const Response tried = ask("POST", "/v1/schedules/ext:job/backfill", backfill_body);
    EXPECT_EQ(tried.status, 200) << tried.body;
    EXPECT_THAT(boundaries.inside, AllOf(Not(IsEmpty()), Each(false)));
    EXPECT_FALSE(is_replay(ask("POST", "/v1/schedules/ext:job/backfill", backfill_body)));
}

/// Authentication comes first.
class KeyedGuard : public KeyedApi {
protected:
    KeyedGuard() { add_user_routes(guarded, {users_module, queries, clock}); }
    std::string writer() {
        const auto made = create_key.run({.name = "x", .role = Role::write}, "req-1");
        ring.check_again();
        return made.value().text;
    }
    Response post(const std::string& api_key, Headers headers) {
        Request request;
        request.method = "POST";
        request.headers = std::move(headers);
        if (!api_key.empty()) request.headers.add("Authorization", "Bearer " + api_key);
        request.headers.add("Content-Type", "application/json");
        request.headers.add("Host", "localhost");
        EXPECT_TRUE(read_target("/v1/users", request));
        request.body = ada_json;
        return guarded.handle(std::move(request));
    }

    FakeApiKeySecrets key_secrets;
    CreateApiKey create_key{store, key_secrets, ids, [] { return std::vector{Role::admin}; }};
    ApiKeyRing ring{store, key_secrets, monotonic};
    KeyGuard guard{{.loopback = true}, ring, monotonic};
    Router guarded{product_api(), guard, log, false, &keyed};
};

TEST_F(KeyedGuard, ID06_KeysAreTheirOwnersOnly) {
    const std::string one = writer(), other = writer();
    EXPECT_FALSE(is_replay(post(one, with_key("k"))));
    EXPECT_FALSE(is_replay(post(other, with_key("k"))));
    EXPECT_TRUE(is_replay(post(one, with_key("k"))));
    EXPECT_EQ(users(), 2U);
}

TEST_F(KeyedGuard, ID20_ARevokedKeyGetsNoStoredAnswer) {
    const std::string text = writer();
    EXPECT_EQ(post(text, with_key("k")).status, 201);
    const KeyText parts = parse_key_text(text).value();
    ring.fix({{parts.handle, Role::read, key_secrets.hash(parts.secret)}});
    const Response refused = post(text, with_key("k"));
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.body, Not(HasSubstr("Ada")));
    EXPECT_FALSE(is_replay(refused));
    EXPECT_EQ(post("", with_key("k")).status, 401);
}

TEST_F(KeyedGuard, HP05_TakesEarlyDataWithAKeyOnly) {
    Headers early;
    early.add("Early-Data", "1");
    EXPECT_EQ(post("", early).status, 425);
    early.add("Idempotency-Key", "k");
    EXPECT_EQ(post("", early).status, 201);
    EXPECT_TRUE(is_replay(post("", early)));
}

TEST(IdempotencyDocument, DocumentsTheKeyOfEveryChangingOperation) {
    std::ostringstream text;
    text << std::ifstream{SUNDIAL_OPENAPI}.rdbuf();
    const boost::json::value document = boost::json::parse(text.str());
    int seen = 0;
    for (const auto& [path, operations] : document.at("paths").as_object()) {
        for (const auto& [method, operation] : operations.as_object()) {
            if (method != "post" && method != "put" && method != "patch" && method != "delete")
                continue;
            if (path == "/v1/session") continue;  // cookies of a browser are never kept
            ++seen;
            const std::string name = std::string(method) + ' ' + std::string(path);
            const std::string written = boost::json::serialize(operation);
            EXPECT_THAT(written, HasSubstr("#/components/parameters/idempotencyKey")) << name;
            EXPECT_THAT(written, HasSubstr("#/components/headers/idempotencyReplayed")) << name;
            EXPECT_TRUE(operation.at("responses").as_object().contains("409")) << name;
            EXPECT_TRUE(operation.at("responses").as_object().contains("422")) << name;
        }
    }
    EXPECT_GT(seen, 30);
}

}  // namespace
}  // namespace sundial::http
