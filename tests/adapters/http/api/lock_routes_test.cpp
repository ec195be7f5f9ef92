#include <gmock/gmock.h>

#include "adapters/http/api/api_fixture.hpp"
#include "adapters/http/api/routes.hpp"
#include "application/locks/stored_locks.hpp"
#include "support/fake_ids.hpp"
#include "support/fake_lock_tokens.hpp"

namespace sundial::http {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class LockRoutesTest : public ApiTest {
protected:
    LockRoutesTest() {
        add_lock_routes(
            router,
            {.locks = locks,
             .waited = [this](std::string_view outcome) { outcomes.emplace_back(outcome); },
             .contended = [this](const LockHeld& held) { contended.push_back(held.name); }});
    }

    Response acquire(const std::string& name, const std::string& members = "") {
        return call("POST", "/v1/locks/" + name, R"({"holder":"job-1")" + members + "}");
    }
    Response release(const std::string& name, const std::string& token) {
        Request request;
        request.method = "DELETE";
        request.target = "/v1/locks/" + name;
        EXPECT_TRUE(read_target(request.target, request));
        request.headers.add("Sundial-Lock-Token", token);
        return router.handle(std::move(request));
    }

    std::vector<std::string> outcomes;   // of requests that were ready to wait
    std::vector<std::string> contended;  // names of locks
    StoredLocks stored{store};
    FakeLockTokens tokens;
    LocksModule locks{{stored, tokens, random, monotonic}};
};

TEST_F(LockRoutesTest, GrantsRenewsAndReleases) {
    const Response granted = acquire("nightly", R"(,"ttl":"PT1M")");
    EXPECT_EQ(granted.status, 201);
    EXPECT_EQ(granted.body, R"({"name":"nightly","holder":"job-1","lockToken":"token-1",)"
                            R"("fencingToken":1,"expiresAt":"2027-01-05T12:01:00.000Z"})");
    EXPECT_EQ(granted.headers.find("Location"), "/v1/locks/nightly");
    const Response renewed =
        call("PUT", "/v1/locks/nightly", R"({"lockToken":"token-1","ttl":"PT2M"})");
    EXPECT_EQ(renewed.status, 200);
    EXPECT_EQ(renewed.body, R"({"name":"nightly","fencingToken":1,)"
                            R"("expiresAt":"2027-01-05T12:02:00.000Z"})");
    EXPECT_EQ(release("nightly", "token-1").status, 204);
    EXPECT_THAT(acquire("nightly").body, HasSubstr(R"("fencingToken":2)"));
}

TEST_F(LockRoutesTest, ReportsTheHolderAndTheEndOfItsLease) {
    (void)acquire("nightly");
    const Response refused = acquire("nightly");
    EXPECT_EQ(refused.status, 409);
    EXPECT_TRUE(refused.headers.find("Retry-After"));
    EXPECT_THAT(refused.body,
                AllOf(HasSubstr(R"("code":"LOCK_HELD")"), HasSubstr(R"("retryable":true)"),
                      HasSubstr(R"("holder":"job-1")"),
                      HasSubstr(R"("expiresAt":"2027-01-05T12:00:30.000Z")")));
}

TEST_F(LockRoutesTest, ShowsAHeldLockWithoutItsToken) {
    EXPECT_THAT(call("GET", "/v1/locks/nightly").body, HasSubstr(R"("code":"LOCK_NOT_FOUND")"));
    (void)acquire("nightly");
    const Response held = call("GET", "/v1/locks/nightly");
    EXPECT_EQ(held.status, 200);
    EXPECT_EQ(held.body, R"({"name":"nightly","holder":"job-1",)"
                         R"("acquiredAt":"2027-01-05T12:00:00.000Z","fencingToken":1,)"
                         R"("expiresAt":"2027-01-05T12:00:30.000Z"})");
    clock.advance(std::chrono::seconds{31});
    EXPECT_EQ(call("GET", "/v1/locks/nightly").status, 404);
}

TEST_F(LockRoutesTest, RefusesTokensThatAreWrongSpentOrOver) {
    (void)acquire("nightly");
    EXPECT_THAT(release("nightly", "wrong").body, HasSubstr(R"("code":"LOCK_NOT_HELD")"));
    EXPECT_THAT(call("PUT", "/v1/locks/nightly", R"({"lockToken":"wrong"})").body,
                HasSubstr(R"("code":"LOCK_NOT_HELD")"));
    EXPECT_EQ(call("DELETE", "/v1/locks/nightly").status, 400);
    clock.advance(std::chrono::seconds{31});
    const Response late = call("PUT", "/v1/locks/nightly", R"({"lockToken":"token-1"})");
    EXPECT_EQ(late.status, 409);
    EXPECT_THAT(late.body,
                AllOf(HasSubstr(R"("code":"LEASE_LOST")"), HasSubstr(R"("name":"nightly")"),
                      HasSubstr(R"("fencingToken":1)")));
}

TEST_F(LockRoutesTest, RefusesInvalidTimesAndReservedNames) {
    for (const char* members : {R"(,"ttl":"PT0S")", R"(,"ttl":"PT25H")", R"(,"ttl":"soon")",
                                R"(,"wait":"PT61S")", R"(,"unknown":1)"}) {
        EXPECT_EQ(acquire("nightly", members).status, 400) << members;
    }
    EXPECT_THAT(acquire("sundial.maintenance").body, HasSubstr("Sundial's own"));
    EXPECT_EQ(call("POST", "/v1/locks/nightly", "{}").status, 400);
}

TEST_F(LockRoutesTest, ListsHeldLocksWithoutTokens) {
    for (const char* name : {"jobs.b", "jobs.a", "other"}) (void)acquire(name);
    const Response all = get("/v1/locks?q=jobs.&limit=1");
    EXPECT_THAT(all.body, AllOf(HasSubstr(R"("name":"jobs.a")"), HasSubstr(R"("hasMore":true)"),
                                HasSubstr(R"("acquiredAt":"2027-01-05T12:00:00.000Z")"),
                                Not(HasSubstr("token-"))));
    const Response rest =
        get("/v1/locks?q=jobs.&limit=1&cursor=" + text_member(all.body, "nextCursor"));
    EXPECT_THAT(rest.body, AllOf(HasSubstr(R"("name":"jobs.b")"), HasSubstr(R"("hasMore":false)")));
}

TEST_F(LockRoutesTest, WaitsWithoutAThreadAndIsWokenByARelease) {
    (void)acquire("nightly");
    const Response wait = acquire("nightly", R"(,"wait":"PT20S")");
    ASSERT_TRUE(wait.later);
    EXPECT_EQ(wait.later->at_most, std::chrono::seconds{20});
    bool woken = false;
    {
        const auto listening = wait.later->listen([&] { woken = true; });
        // Woken without a reason: it continues to wait.
        EXPECT_TRUE(wait.later->answer(false).later);
        EXPECT_EQ(release("nightly", "token-1").status, 204);
        EXPECT_TRUE(woken);
    }
    const Response granted = wait.later->answer(false);
    EXPECT_EQ(granted.status, 201);
    EXPECT_EQ(wait.later->answer(true).status, 409);  // the time is up
    EXPECT_THAT(outcomes, testing::ElementsAre("granted", "held"));
    // Once per request, however often it tried.
    EXPECT_THAT(contended, testing::ElementsAre("nightly"));
    ASSERT_TRUE(granted.undelivered);  // the client has disconnected
    granted.undelivered();
    EXPECT_EQ(acquire("nightly").status, 201);
}

TEST_F(LockRoutesTest, DoesNotWaitOnceTheServerStops) {
    (void)acquire("nightly");
    locks.waits.stop();
    EXPECT_EQ(acquire("nightly", R"(,"wait":"PT20S")").status, 409);
}

}  // namespace
}  // namespace sundial::http
