#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "application/endpoints/edit_endpoint.hpp"
#include "support/control_plane.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class PutEndpointTest : public ControlPlane {
protected:
    static NewEndpoint a_webhook() {
        NewEndpoint requested{.type = webhook_type};
        requested.name = "CRM";
        requested.url = "https://crm.example/hook";
        return requested;
    }
    Result<PutEndpointResult> put(const NewEndpoint& requested,
                                  std::optional<Version> expected = std::nullopt) {
        return put_endpoint.run("crm", requested, expected, "req-1");
    }

    CreateEndpoint create_endpoint{store, secrets, kinds, ids};
    EditEndpoint edit_endpoint{store, secrets, kinds, ids, unpark_events, log};
    PutEndpoint put_endpoint{create_endpoint, edit_endpoint};
};

TEST_F(PutEndpointTest, CreatesTheEndpointAndShowsItsSecretOnce) {
    EXPECT_TRUE(fails_with<NotFound>(put(a_webhook(), Version{1})));
    const auto made = put(a_webhook()).value();
    EXPECT_TRUE(made.created);
    EXPECT_EQ(made.secret, "whsec_random");
    EXPECT_EQ(queries.endpoint("ext:crm").value(), made.endpoint);

    const auto again = put(a_webhook()).value();
    EXPECT_FALSE(again.created);
    EXPECT_THAT(again.secret, IsEmpty());
    EXPECT_EQ(again.endpoint, made.endpoint);  // no new version
}

TEST_F(PutEndpointTest, ReplacesEverySetting) {
    NewEndpoint first = a_webhook();
    first.headers = {{"X-Team", "crm"}, {"X-Key", "0123456789abcdef"}};
    first.timeout = 5s;
    first.retry_policy = {.kind = RetryPolicy::Kind::seed};
    first.retry_client_errors = 3;
    first.rate_limit = RateLimit{50, 100};
    first.max_in_flight = 20;
    first.enabled = false;
    first.ed25519 = true;
    const Endpoint before = put(first).value().endpoint;

    clock.advance(1s);
    NewEndpoint second = a_webhook();
    second.name = "Other";
    second.url = "https://crm.example/other";
    second.headers = {{"X-Key", "0123456789abcdef"}, {"X-New", "n"}};
    const Endpoint after = put(second, before.version).value().endpoint;
    Endpoint expected = put_endpoint.run("plain", second, std::nullopt, "req-1").value().endpoint;
    expected.id = before.id;
    expected.external_id = "crm";
    expected.version = Version{2};
    expected.created_at = before.created_at;
    EXPECT_EQ(after, expected);
    EXPECT_EQ(after.headers.at(0), before.headers.at(1));

    EXPECT_EQ(put(second).value().endpoint, after);
    EXPECT_TRUE(fails_with<OptimisticLock>(put(first, Version{1})));
}

TEST_F(PutEndpointTest, NeverChangesTypeFormatAndSecret) {
    NewEndpoint requested = a_webhook();
    requested.secret = "whsec_mine";
    requested.format = BodyFormat::envelope;
    const Endpoint made = put(requested).value().endpoint;
    EXPECT_EQ(put(requested).value().endpoint, made);

    NewEndpoint other = requested;
    other.secret = "whsec_other";
    other.format = BodyFormat::raw;
    EXPECT_THAT(defects_of(put(other)),
                UnorderedElementsAre("/format not_allowed", "/secret not_allowed"));
    other = requested;
    other.type = pull_type;
    EXPECT_THAT(defects_of(put(other)), ElementsAre("/type not_allowed"));
    other = requested;
    other.secret.reset();
    EXPECT_EQ(put(other).value().endpoint, made);
    EXPECT_EQ(queries.endpoint("ext:crm").value(), made);
}

TEST_F(PutEndpointTest, ValidatesTheWholeEndpoint) {
    ASSERT_TRUE(put(a_webhook()));
    NewEndpoint requested = a_webhook();
    requested.url.reset();
    requested.name = "";
    requested.max_in_flight = 0;
    EXPECT_THAT(defects_of(put(requested)), UnorderedElementsAre("/url required", "/name required",
                                                                 "/maxInFlight out_of_range"));

    NewEndpoint inbox{.type = inbox_type};
    inbox.name = "bin";
    ASSERT_TRUE(put_endpoint.run("bin", inbox, std::nullopt, "req-1"));
    inbox.secret = "whsec_mine";
    EXPECT_THAT(defects_of(put_endpoint.run("bin", inbox, std::nullopt, "req-1")),
                ElementsAre("/secret not_allowed"));
}

TEST_F(PutEndpointTest, SendsNoHeaderToAnotherOriginUnlessItIsGivenAgain) {
    NewEndpoint requested = a_webhook();
    requested.headers = {{"Authorization", "Bearer 0123456789"}};
    ASSERT_TRUE(put(requested));
    requested.url = "https://elsewhere.example/hook";
    EXPECT_EQ(put(requested).value().endpoint.headers.size(), 1U);
    requested.url = "https://third.example/hook";
    requested.headers.clear();
    EXPECT_THAT(put(requested).value().endpoint.headers, IsEmpty());
}

TEST_F(PutEndpointTest, EndsTheWaitForARetryOnlyIfAsked) {
    NewEndpoint requested = a_webhook();
    const Endpoint endpoint = put(requested).value().endpoint;
    NewEvent event = a_reminder();
    event.endpoint = to_string(endpoint.id);
    event.target.utc = "now";
    scheduled(event);
    const Event held = claimed_one();
    settle(held, RetryIn{std::chrono::hours{24}});

    requested.url = "https://crm.example/repaired";
    ASSERT_TRUE(put(requested));
    EXPECT_THAT(claimed(), IsEmpty());
    ASSERT_TRUE(put_endpoint.run("crm", requested, std::nullopt, "req-1", true));
    EXPECT_EQ(claimed_one().id, held.id);
}

TEST_F(PutEndpointTest, ReleasesTheEventsOfAnEndpointThatItEnables) {
    NewEndpoint requested = a_webhook();
    requested.enabled = false;
    const Endpoint endpoint = put(requested).value().endpoint;
    NewEvent event = a_reminder();
    event.endpoint = to_string(endpoint.id);
    event.target.utc = "now";
    scheduled(event);
    const Event waiting = parked(claimed_one());
    requested.enabled = true;
    ASSERT_TRUE(put(requested));
    EXPECT_EQ(find(waiting).claimable_at, clock.now());
}

}  // namespace

}  // namespace sundial
