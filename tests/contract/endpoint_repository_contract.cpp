#include <gmock/gmock.h>

#include "contract/control_plane_contract.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST_P(EndpointRepositoryContract, KeepsEveryMemberOfAnEndpoint) {
    Endpoint webhook = an_endpoint()
                           .with_external_id("crm")
                           .named("CRM – ü 🎂" + std::string(245, 'x'))
                           .with_url("https://crm.example:8443/hook?a=b&c=%20")
                           .with_headers({{"X-Team", "key-1.+/aZ09==", "…Q9f"},
                                          {"X-Readable", "\"b\" ü", ""},
                                          {"X-Empty", "", ""},
                                          {"A", "key-1.\t", "…"}})
                           .with_timeout(29s)
                           .with_retry_policy({RetryPolicy::Kind::custom, {1s, 60s, 86400s}})
                           .retrying_client_errors(3)
                           .disabled("410 Gone");
    webhook.version = Version{5};
    webhook.created_at = noon - 1us;
    webhook.updated_at = noon + 1us;
    webhook.format = BodyFormat::cloudevents;
    webhook.signing_keys = {
        {.scheme = SignatureScheme::v1a, .sealed = "key-1.\"+/aZ09=="},
        {.scheme = SignatureScheme::v1, .sealed = "key-1.new"},
        {.scheme = SignatureScheme::v1, .sealed = "key-0.old", .signs_until = noon + 1us}};
    webhook.public_key = "whpk_+/aZ09==";
    const Endpoint inbox = an_endpoint().inbox();
    const Endpoint envelope = an_endpoint().with_format(BodyFormat::envelope);
    const Endpoint seed = an_endpoint().with_retry_policy({RetryPolicy::Kind::seed, {}});
    add(webhook, inbox, envelope, seed);
    EXPECT_EQ(find(webhook.id), webhook);
    EXPECT_EQ(find(inbox.id), inbox);
    EXPECT_EQ(find(envelope.id), envelope);
    EXPECT_EQ(find(seed.id), seed);
    EXPECT_FALSE(find(an_id<EndpointId>()));
}

TEST_P(EndpointRepositoryContract, KeepsATypeThatItDoesNotKnow) {
    Endpoint queue = an_endpoint();
    queue.type = EndpointType{"QUEUE"};
    queue.options = {{"empty", ""}, {"region", "eu-\"west\"-ü"}};
    add(queue, an_endpoint());
    EXPECT_EQ(find(queue.id), queue);
    EndpointQuery query;
    query.type = queue.type;
    const auto listed =
        in_read(store(), [&](Transaction& tx) { return tx.endpoints().list(query); });
    EXPECT_THAT(listed.items, ElementsAre(queue));

    queue.options.erase("empty");
    const auto updated =
        in_transaction(store(), [&](Transaction& tx) { return tx.endpoints().update(queue); });
    EXPECT_TRUE(updated);
    EXPECT_EQ(find(queue.id), queue);
}

TEST_P(EndpointRepositoryContract, RefusesAnExternalIdThatAnotherEndpointHas) {
    const Endpoint holder = an_endpoint().with_external_id("crm");
    const Endpoint other = an_endpoint().with_external_id("erp");
    add(holder, other);
    // A user may have the same external id.
    write([](Transaction& tx) { EXPECT_TRUE(tx.users().add(a_user().with_external_id("crm"))); });

    const Endpoint second = an_endpoint().with_external_id("crm");
    const auto added =
        in_transaction(store(), [&](Transaction& tx) { return tx.endpoints().add(second); });
    ASSERT_TRUE(is<DuplicateExternalId>(added));
    EXPECT_EQ(added.error().noun, Noun::endpoint);
    EXPECT_EQ(added.error().external_id, "crm");
    EXPECT_EQ(added.error().existing, holder.id.value);
    EXPECT_FALSE(find(second.id));

    Endpoint changed = other;
    changed.external_id = "crm";
    const auto updated = in_transaction(store(), [&](Transaction& tx) {
        EXPECT_TRUE(tx.endpoints().lock(other.id));
        return tx.endpoints().update(changed);
    });
    ASSERT_TRUE(is<DuplicateExternalId>(updated));
    EXPECT_EQ(find(other.id), other);
}

TEST_P(EndpointRepositoryContract, FindsTheIdOfAnExternalIdExactly) {
    const Endpoint endpoint = an_endpoint().with_external_id("crm");
    add(endpoint, an_endpoint());
    read([&](Transaction& tx) {
        EXPECT_EQ(tx.endpoints().id_of("crm"), endpoint.id);
        EXPECT_FALSE(tx.endpoints().id_of("CRM"));
        EXPECT_FALSE(tx.endpoints().id_of(""));
        const std::vector<std::string> asked{"CRM", "crm", ""};
        EXPECT_THAT(tx.endpoints().ids_of(asked), UnorderedElementsAre(Pair("crm", endpoint.id)));
        EXPECT_THAT(tx.endpoints().ids_of({}), IsEmpty());
        return true;
    });
}

TEST_P(EndpointRepositoryContract, ReplacesALockedEndpoint) {
    const Endpoint endpoint = an_endpoint().with_external_id("crm").disabled("by hand");
    add(endpoint);
    Endpoint changed = an_endpoint()
                           .with_id(endpoint.id)
                           .with_external_id("crm")
                           .named("New")
                           .with_url("https://new.example/")
                           .with_headers({})
                           .with_timeout(1s)
                           .with_retry_policy({RetryPolicy::Kind::seed, {}});
    changed.version = Version{2};
    changed.signing_keys = {{.sealed = "other"}, {.sealed = "sealed", .signs_until = noon}};
    changed.public_key = "whpk_abc";
    changed.secret_hint = "whsec_…abc";
    changed.updated_at = noon;
    write([&](Transaction& tx) {
        EXPECT_EQ(tx.endpoints().lock(endpoint.id), endpoint);
        EXPECT_TRUE(tx.endpoints().update(changed));
        EXPECT_FALSE(tx.endpoints().lock(an_id<EndpointId>()));
    });
    EXPECT_EQ(find(endpoint.id), changed);
}

TEST_P(EndpointRepositoryContract, SharesExistingEndpoints) {
    const Endpoint one = an_endpoint();
    const Endpoint other = an_endpoint();
    add(one, other, an_endpoint());
    const std::vector<EndpointId> ids{one.id, an_id<EndpointId>(), other.id};
    write([&](Transaction& tx) {
        EXPECT_THAT(tx.endpoints().share(ids), UnorderedElementsAre(one, other));
        EXPECT_THAT(tx.endpoints().share({}), IsEmpty());
        EXPECT_THAT(tx.endpoints().try_share(ids), UnorderedElementsAre(one, other));
        EXPECT_THAT(tx.endpoints().try_share({}), IsEmpty());
    });
}

TEST_P(EndpointRepositoryContract, RemovesAnEndpointWithItsData) {
    const Endpoint endpoint = an_endpoint().inbox().with_external_id("crm");
    const Endpoint other = an_endpoint().inbox().with_external_id("erp");
    add(endpoint, other);
    const auto received = [](EndpointId id) {
        return InboxRequest{.id = an_id<EventId>().value,
                            .endpoint = id,
                            .received_at = noon,
                            .headers = {},
                            .body = "{}"};
    };
    const Limits limits{.endpoint = endpoint.id,
                        .bucket_full_at = noon,
                        .leases = {{.by = instance_a, .slots = 3, .ends = noon + 1h}}};
    write([&](Transaction& tx) {
        for (const EndpointId id : {endpoint.id, other.id}) {
            Circuit circuit = tx.circuits().lock(id);
            circuit.state = CircuitState::open;
            tx.circuits().put(circuit);
            tx.inbox().add(received(id));
        }
        static_cast<void>(tx.limits().lock(endpoint.id));
        tx.limits().put(limits);
    });

    write([&](Transaction& tx) {
        EXPECT_EQ(tx.endpoints().lock_to_remove(endpoint.id), endpoint);
        EXPECT_FALSE(tx.endpoints().lock_to_remove(an_id<EndpointId>()));
        tx.endpoints().remove(endpoint.id);
    });
    EXPECT_FALSE(find(endpoint.id));
    EXPECT_EQ(find(other.id), other);
    write([&](Transaction& tx) {
        const std::vector<EndpointId> both{endpoint.id, other.id};
        const auto circuits = tx.circuits().find_all(both);
        ASSERT_EQ(circuits.size(), 1U);
        EXPECT_EQ(circuits.front().endpoint, other.id);
        EXPECT_EQ(tx.limits().lock(endpoint.id), Limits{.endpoint = endpoint.id});
        EXPECT_THAT(tx.inbox().list(endpoint.id, {.after = std::nullopt}).items, IsEmpty());
        EXPECT_EQ(tx.inbox().list(other.id, {.after = std::nullopt}).items.size(), 1U);
    });
    add(an_endpoint().with_external_id("crm"));
}

TEST_P(EndpointRepositoryContract, FindsAllEndpoints) {
    const Endpoint one = an_endpoint();
    const Endpoint other = an_endpoint();
    add(one, other, an_endpoint());
    const std::vector<EndpointId> ids{other.id, an_id<EndpointId>(), one.id, other.id};
    EXPECT_THAT(read([&](Transaction& tx) { return tx.endpoints().find_all(ids); }),
                UnorderedElementsAre(one, other));
    EXPECT_THAT(read([](Transaction& tx) { return tx.endpoints().find_all({}); }), IsEmpty());
}

TEST_P(EndpointRepositoryContract, FiltersAndSortsAList) {
    Endpoint first = an_endpoint().named("CRM").with_external_id("a_1");
    Endpoint second = an_endpoint().inbox().named("Inbox").disabled();
    Endpoint third = an_endpoint().named("Cart").disabled();
    third.created_at = second.created_at = first.created_at + 1us;
    add(third, second, first);
    const auto like = [&](auto ask) {
        EndpointQuery query;
        ask(query);
        std::vector<EndpointId> ids;
        const auto page = read([&](Transaction& tx) { return tx.endpoints().list(query); });
        for (const Endpoint& endpoint : page.items) ids.push_back(endpoint.id);
        return ids;
    };
    EXPECT_THAT(like([](EndpointQuery&) {}), ElementsAre(first.id, second.id, third.id));
    EXPECT_THAT(like([](EndpointQuery& q) { q.page.descending = true; }),
                ElementsAre(third.id, second.id, first.id));
    EXPECT_THAT(like([](EndpointQuery& q) { q.page.limit = 2; }), ElementsAre(first.id, second.id));
    EXPECT_THAT(like([&](EndpointQuery& q) {
                    q.page.after =
                        PageKey{std::to_string(second.created_at.time_since_epoch().count()),
                                second.id.value};
                }),
                ElementsAre(third.id));
    EXPECT_THAT(like([](EndpointQuery& q) { q.type = inbox_type; }), ElementsAre(second.id));
    EXPECT_THAT(like([](EndpointQuery& q) { q.enabled = false; }),
                ElementsAre(second.id, third.id));
    EXPECT_THAT(like([](EndpointQuery& q) { q.enabled = true; }), ElementsAre(first.id));
    EXPECT_THAT(like([](EndpointQuery& q) { q.prefix = "C"; }), ElementsAre(first.id, third.id));
    EXPECT_THAT(like([](EndpointQuery& q) { q.prefix = "c"; }), IsEmpty());
    EXPECT_THAT(like([](EndpointQuery& q) { q.prefix = "a_"; }), ElementsAre(first.id));
    EXPECT_THAT(like([](EndpointQuery& q) { q.prefix = "_"; }), IsEmpty());
    EXPECT_THAT(like([&](EndpointQuery& q) { q.prefix = to_string(third.id); }),
                ElementsAre(third.id));
}

}  // namespace
}  // namespace sundial
