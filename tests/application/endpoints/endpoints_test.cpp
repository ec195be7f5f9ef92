#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "application/ports/failures.hpp"
#include "endpoints_fixture.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

TEST_F(Endpoints, AreKeptAndShowTheirSecretOnce) {
    NewEndpoint requested = crm();
    requested.external_id = "crm";
    requested.secret = "whsec_given";
    const auto [endpoint, secret] = create(requested);

    EXPECT_EQ(secret, "whsec_given");
    EXPECT_EQ(queries.endpoint("ext:crm").value(), endpoint);
    EXPECT_EQ(secrets.open(endpoint.signing_keys.at(0).sealed), "whsec_given");
    EXPECT_EQ(endpoint.secret_hint, "whsec_…");
    EXPECT_EQ(endpoint.version, Version{1});
    EXPECT_THAT(create(crm()).secret, HasSubstr("whsec_"));
}

TEST_F(Endpoints, AreRefusedWithAllErrors) {
    NewEndpoint requested = crm();
    requested.name = "";
    requested.url = "http://crm.example/hook";
    requested.timeout = 25s;
    requested.headers = {{"webhook-id", "mine"}};
    requested.secret = "secret";
    EXPECT_THAT(refused(requested),
                UnorderedElementsAre("/name required", "/url not_allowed", "/timeout out_of_range",
                                     "/headers/webhook-id not_allowed", "/secret bad_format"));
    requested = crm();
    requested.url.reset();
    EXPECT_THAT(refused(requested), ElementsAre("/url required"));
    EXPECT_THAT(queries.endpoints({}).items, IsEmpty());
}

TEST_F(Endpoints, AreOfATypeThatExistsWithItsSettings) {
    const auto [endpoint, secret] = create(bin());
    EXPECT_EQ(endpoint.type, inbox_type);
    EXPECT_THAT(secret, IsEmpty());
    EXPECT_THAT(endpoint.signing_keys, IsEmpty());

    NewEndpoint requested = bin();
    requested.url = "https://crm.example/hook";
    EXPECT_THAT(refused(requested), ElementsAre("/url not_allowed"));

    requested.type = EndpointType{"SQS"};
    EXPECT_THAT(refused(requested), ElementsAre("/type not_allowed"));
}

TEST_F(Endpoints, HaveLimitsThatAnEditChangesOrTakesAway) {
    NewEndpoint requested = crm();
    requested.rate_limit = RateLimit{50, 100};
    requested.max_in_flight = 20;
    const Endpoint endpoint = create(requested).endpoint;
    EXPECT_EQ(endpoint.rate_limit, (RateLimit{50, 100}));
    EXPECT_EQ(endpoint.max_in_flight, 20U);

    EndpointEdit changes;
    changes.rate_limit = RateLimitEdit{.per_second = 10, .burst = {}};
    EXPECT_EQ(edit(endpoint, changes)->rate_limit, (RateLimit{10, 100}));
    changes = {};
    changes.rate_limit = std::optional<RateLimitEdit>{};
    changes.max_in_flight = std::optional<std::uint32_t>{};
    const Endpoint free = edit(endpoint, changes).value();
    EXPECT_EQ(free.rate_limit, std::nullopt);
    EXPECT_EQ(free.max_in_flight, std::nullopt);
    changes = {};
    changes.rate_limit = RateLimitEdit{.per_second = 7, .burst = {}};
    EXPECT_EQ(edit(endpoint, changes)->rate_limit, (RateLimit{7, 7}));
}

TEST_F(Endpoints, RefuseInvalidLimits) {
    NewEndpoint requested = crm();
    requested.rate_limit = RateLimit{0, 10'001};
    requested.max_in_flight = 0;
    EXPECT_THAT(refused(requested),
                UnorderedElementsAre("/rateLimit/perSecond out_of_range",
                                     "/rateLimit/burst out_of_range", "/maxInFlight out_of_range"));
    const Endpoint endpoint = create(crm()).endpoint;
    EndpointEdit changes;
    changes.rate_limit = RateLimitEdit{.per_second = {}, .burst = 5};
    EXPECT_THAT(defects_of(edit(endpoint, changes)), ElementsAre("/rateLimit/perSecond required"));
}

TEST_F(Endpoints, AreClosedByHandWithoutANewVersion) {
    const Endpoint endpoint = create(crm()).endpoint;
    const auto circuit_of = [&] { return queries.circuits(std::vector{endpoint.id}).circuits[0]; };
    write([&](Transaction& tx) {
        const Circuit fresh = tx.circuits().lock(endpoint.id);
        tx.circuits().put(count(fresh, {.failed = 5}, tx.now(), CircuitPolicy{}));
    });
    ASSERT_EQ(circuit_of().state, CircuitState::open);
    NewEvent requested = a_reminder();
    requested.endpoint = to_string(endpoint.id);
    requested.target.utc = "now";
    scheduled(requested);
    const Event claimed = claimed_one();
    queue.release_claims(std::vector{ReleasedClaim{.id = claimed.id,
                                                   .held = claimed.version,
                                                   .number = claimed.attempt,
                                                   .by = instance_a,
                                                   .delay = 1h,
                                                   .reason = "CIRCUIT_OPEN",
                                                   .obstacle = Obstacle::circuit}});
    EndpointEdit changes;
    changes.close_circuit = true;
    EXPECT_EQ(edit(endpoint, changes)->version, endpoint.version);
    EXPECT_EQ(circuit_of().state, CircuitState::closed);
    EXPECT_EQ(queue.depth().waiting_for_circuit, 0U);
    EXPECT_EQ(queue.depth().due, 1U);
    EXPECT_EQ(log.lines().back().event_name, "endpoint.circuit_closed");
}

TEST_F(Endpoints, ForgetTheirCircuitWhenTheyAreEnabled) {
    NewEndpoint requested = crm();
    requested.enabled = false;
    const Endpoint endpoint = create(requested).endpoint;
    write([&](Transaction& tx) {
        Circuit failing = tx.circuits().lock(endpoint.id);
        failing.failing_since = noon - 24h * 30;
        tx.circuits().put(failing);
    });
    EndpointEdit changes;
    changes.enabled = true;
    ASSERT_TRUE(edit(endpoint, changes));
    EXPECT_EQ(queries.circuits(std::vector{endpoint.id}).circuits[0].failing_since, std::nullopt);
}

TEST_F(Endpoints, TakeAnExternalIdOnce) {
    NewEndpoint requested = crm();
    requested.external_id = "crm";
    const auto first = create(requested).endpoint;
    const auto error = error_of<DuplicateExternalId>(create_endpoint.run(requested, "req-1"));
    EXPECT_EQ(error.existing, first.id.value);
}

TEST_F(Endpoints, AreRecordedWithoutAnySecret) {
    NewEndpoint requested = crm();
    requested.secret = "whsec_given";
    requested.headers = {{"Authorization", "Bearer 123"}};
    create(requested);
    const auto recorded = store.recorded().back();
    EXPECT_EQ(recorded.event_type, "EndpointCreated");
    EXPECT_THAT(recorded.data, HasSubstr(R"("headers":["Authorization"])"));
    for (const char* secret : {"whsec", "nevig", "Bearer"}) {
        EXPECT_THAT(recorded.data, Not(HasSubstr(secret)));
    }
}

TEST_F(Endpoints, ChangeOnlyTheGivenMembers) {
    NewEndpoint requested = crm();
    requested.headers = {{"X-Team", "crm"}, {"X-Env", "test"}};
    const Endpoint before = create(requested).endpoint;
    EndpointEdit changes;
    changes.timeout = 20s;
    changes.headers.members = {{"X-Env", std::nullopt}, {"X-Team", "sales"}, {"X-New", "1"}};

    const Endpoint after = edit(before, changes).value();

    Endpoint expected = before;
    expected.timeout = 20s;
    expected.headers = {{"X-Team", "selas", "…"}, {"X-New", "1", "…"}};
    expected.version = Version{2};
    EXPECT_EQ(after, expected);
    EXPECT_EQ(store.recorded().back().event_type, "EndpointUpdated");
    EXPECT_EQ(store.recorded().back().data, R"({"headers":["X-Team","X-New"],"timeout":"PT20S"})");
}

TEST_F(Endpoints, MakeNoVersionOfAnEditThatChangesNothing) {
    const Endpoint endpoint = create(crm()).endpoint;
    EndpointEdit changes;
    changes.name = endpoint.name;
    changes.type = endpoint.type;
    changes.enabled = true;
    EXPECT_EQ(edit(endpoint, changes).value(), endpoint);
    EXPECT_THAT(store.recorded(), SizeIs(1));
}

TEST_F(Endpoints, NeverChangeTheirType) {
    const Endpoint endpoint = create(crm()).endpoint;
    EndpointEdit changes;
    changes.type = inbox_type;
    changes.url = "http://plain.example";
    EXPECT_THAT(defects_of(edit(endpoint, changes)),
                UnorderedElementsAre("/type not_allowed", "/url not_allowed"));
    EXPECT_EQ(queries.endpoint(to_string(endpoint.id)).value(), endpoint);
}

TEST_F(Endpoints, RefuseAStaleVersion) {
    const Endpoint endpoint = create(crm()).endpoint;
    EXPECT_TRUE(fails_with<OptimisticLock>(
        edit_endpoint.run(to_string(endpoint.id), {}, Version{2}, "req-2")));
    EXPECT_TRUE(fails_with<NotFound>(edit_endpoint.run("ext:no", {}, std::nullopt, "req-2")));
}

TEST_F(Endpoints, ReleaseWaitingEventsWhenEnabled) {
    const Endpoint endpoint = an_existing_endpoint(an_endpoint().disabled());
    const Endpoint other = an_existing_endpoint(an_endpoint().disabled());
    const Event event = a_parked_event(endpoint);
    a_parked_event(other);
    EndpointEdit changes;
    changes.enabled = true;

    const Endpoint after = edit(endpoint, changes).value();

    EXPECT_FALSE(after.disabled_reason);
    EXPECT_EQ(wakeups.hints.back(), clock.now());
    EXPECT_EQ(claimed_one().id, event.id);
}

TEST_F(Endpoints, EndTheWaitForARetryOnlyIfAsked) {
    const Endpoint endpoint = an_existing_endpoint();
    NewEvent requested = a_reminder();
    requested.target.utc = "now";
    requested.endpoint = to_string(endpoint.id);
    scheduled(requested);
    const Event held = claimed_one();
    settle(held, RetryIn{24h});
    EndpointEdit edit_url;
    edit_url.url = endpoint.url + "/repaired";

    ASSERT_TRUE(edit(endpoint, edit_url));
    EXPECT_THAT(claimed(), IsEmpty());
    edit_url.retry_waiting = true;
    const Endpoint after = edit(endpoint, edit_url).value();
    EXPECT_EQ(after.version, Version{2});  // the same URL again
    EXPECT_EQ(wakeups.hints.back(), clock.now());
    EXPECT_EQ(claimed_one().id, held.id);
}

/// Fails only the transaction with that number, counted from 1.
class FailsOnce final : public Store {
public:
    FailsOnce(Store& store, int which) : store_{store}, left_{which} {}
    void transact(const std::function<bool(Transaction&)>& work) override {
        if (--left_ == 0) throw Unavailable{"away"};
        store_.transact(work);
    }
    void read(const std::function<void(Transaction&)>& work) override { store_.read(work); }
    [[nodiscard]] bool open_here() override { return store_.open_here(); }

private:
    Store& store_;
    int left_;
};

TEST_F(Endpoints, AreEnabledEvenIfEventsCannotBeReleasedYet) {
    const Endpoint endpoint = an_existing_endpoint(an_endpoint().disabled());
    const Event event = a_parked_event(endpoint);
    FailsOnce failing{store, 1};
    UnparkEvents unpark{failing, wakeups};
    EditEndpoint edit_it{store, secrets, kinds, ids, unpark, log};
    EndpointEdit changes;
    changes.enabled = true;

    EXPECT_TRUE(edit_it.run(to_string(endpoint.id), changes, std::nullopt, "req-2")->enabled);
    EXPECT_THAT(log.lines().back().message, HasSubstr("are released later: away"));
    EXPECT_THAT(claimed(), IsEmpty());

    ASSERT_TRUE(edit_it.run(to_string(endpoint.id), changes, std::nullopt, "req-3"));
    EXPECT_EQ(claimed_one().id, event.id);
}

TEST_F(Endpoints, ReleaseEventsAtTheStartAfterACrash) {
    const Endpoint endpoint = an_existing_endpoint();
    an_existing_endpoint(an_endpoint().disabled());
    const Event event = a_parked_event(endpoint);
    EXPECT_EQ(unpark_events.run_all(), 1U);
    EXPECT_EQ(claimed_one().id, event.id);
    EXPECT_EQ(unpark_events.run_all(), 0U);
}

TEST_F(Endpoints, KeepEventsOfADisabledEndpointWaiting) {
    const Endpoint endpoint = an_existing_endpoint(an_endpoint().disabled());
    a_parked_event(endpoint);
    EXPECT_EQ(unpark_events.run(endpoint.id), 0U);
    EXPECT_EQ(unpark_events.run_all(), 0U);
}

TEST_F(Endpoints, ShowWhyTheyAreDisabled) {
    const Endpoint endpoint = create(crm()).endpoint;
    EndpointEdit changes;
    changes.enabled = false;
    EXPECT_TRUE(edit(endpoint, changes)->disabled_reason);
}

TEST_F(Endpoints, AreTestedByOneDeliveryThatIsStoredNowhere) {
    const Endpoint endpoint = create(crm()).endpoint;

    const auto tested = test_endpoint.run(to_string(endpoint.id), "req-3").value();

    EXPECT_EQ(tested.outcome.status_code, 204);
    ASSERT_THAT(to_webhooks.requests, SizeIs(1));
    EXPECT_EQ(*to_webhooks.requests[0].event, tested.event);
    EXPECT_EQ(*to_webhooks.requests[0].endpoint, endpoint);
    EXPECT_EQ(to_webhooks.requests[0].target_time, "2027-01-05T12:00:00Z[UTC]");
    EXPECT_EQ(tested.event.type, "sundial.test");
    EXPECT_EQ(tested.event.attempt, Attempt{1});
    EXPECT_THAT(queries.events({}).items, IsEmpty());
}

TEST_F(Endpoints, NameTheCallersThatTestThemCloseTheirCircuitOrRetryTheirEvents) {
    const Endpoint endpoint = create(crm()).endpoint;
    const auto entries = [&] {
        std::vector<std::string> all;
        for (const RecordedEvent& entry : store.recorded()) {
            if (entry.stream == StreamId{"EndpointAudit", to_string(endpoint.id)})
                all.push_back(entry.event_type + " " + entry.metadata.actor + " " + entry.data);
        }
        return all;
    };
    const Caller caller{"req-3", "key:ops"};
    EndpointEdit changes;
    changes.close_circuit = true;
    const auto edit_as_caller = [&] {
        return edit_endpoint.run(to_string(endpoint.id), changes, std::nullopt, caller);
    };
    ASSERT_TRUE(edit_as_caller());
    EXPECT_THAT(entries(), IsEmpty());  // it was closed
    write([&](Transaction& tx) {
        const Circuit fresh = tx.circuits().lock(endpoint.id);
        tx.circuits().put(count(fresh, {.failed = 5}, tx.now(), CircuitPolicy{}));
    });
    ASSERT_TRUE(edit_as_caller());
    changes.close_circuit = false;
    changes.retry_waiting = true;
    ASSERT_TRUE(edit_as_caller());
    ASSERT_TRUE(test_endpoint.run(to_string(endpoint.id), caller));
    EXPECT_THAT(entries(), ElementsAre("CircuitClosed key:ops {}", "WaitingRetried key:ops {}",
                                       "EndpointTested key:ops {}"));
}

TEST_F(Endpoints, AreNotTestedWhileDisabled) {
    const Endpoint endpoint = an_existing_endpoint(an_endpoint().disabled("too slow"));
    const auto error =
        error_of<EndpointDisabled>(test_endpoint.run(to_string(endpoint.id), "req-3"));
    EXPECT_EQ(error.reason, "too slow");
    EXPECT_TRUE(fails_with<NotFound>(test_endpoint.run("ext:no", "req-3")));
    EXPECT_THAT(to_webhooks.requests, IsEmpty());
}

TEST_F(Endpoints, ShowAndClearReceivedRequestsOfAnInbox) {
    const Endpoint inbox = create(bin()).endpoint;
    const std::string id = to_string(inbox.id);
    for (std::uint64_t i = 1; i <= 3; ++i) {
        const auto header = i == 3 ? "webhook-signature" : "webhook-id";
        write([&](Transaction& tx) {
            tx.inbox().add({uuid_of(i), inbox.id, noon, {{header, "k"}}, std::to_string(i)});
        });
    }
    const auto page = read_inbox.run(id, {.limit = 2, .after = std::nullopt}).value();
    ASSERT_THAT(page.items, SizeIs(2));
    EXPECT_EQ(page.items[0].received.body, "3");
    EXPECT_EQ(page.items[0].signature.state, SignatureState::valid);
    EXPECT_EQ(page.items[1].signature.state, SignatureState::missing);
    EXPECT_TRUE(page.has_more);

    ASSERT_TRUE(clear_inbox.run(id));
    EXPECT_THAT(read_inbox.run(id, {.after = std::nullopt})->items, IsEmpty());
}

TEST_F(Endpoints, HaveNoInboxUnlessOfTypeInbox) {
    const std::string id = to_string(create(crm()).endpoint.id);
    EXPECT_THAT(defects_of(read_inbox.run(id, {.after = std::nullopt})),
                ElementsAre(" not_allowed"));
    EXPECT_THAT(defects_of(clear_inbox.run(id)), ElementsAre(" not_allowed"));
    EXPECT_TRUE(fails_with<NotFound>(clear_inbox.run("ext:no")));
}

}  // namespace
}  // namespace sundial
