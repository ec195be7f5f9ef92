#include "application/endpoints/signing_secrets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "endpoints_fixture.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

TEST_F(Endpoints, GetANewSecretWhileTheOldOneStillSigns) {
    NewEndpoint requested = crm();
    requested.secret = "whsec_old";
    const Endpoint before = create(requested).endpoint;
    const auto [after, secret] =
        rotate_secret.run(to_string(before.id), {.secret = "whsec_new"}, before.version, "req-2")
            .value();
    EXPECT_EQ(secret, "whsec_new");
    ASSERT_THAT(after.signing_keys, SizeIs(2));
    EXPECT_EQ(secrets.open(after.signing_keys[0].sealed), "whsec_new");
    EXPECT_EQ(after.signing_keys[0].signs_until, never);
    EXPECT_EQ(secrets.open(after.signing_keys[1].sealed), "whsec_old");
    EXPECT_EQ(after.signing_keys[1].signs_until, noon + 24h);
    EXPECT_EQ(after.version, Version{2});
    EXPECT_EQ(queries.endpoint(to_string(before.id)).value(), after);
    EXPECT_EQ(store.recorded().back().event_type, "EndpointUpdated");
    EXPECT_THAT(store.recorded().back().data,
                R"({"signingKeys":[{"scheme":"v1","signsUntil":null},)"
                R"({"scheme":"v1","signsUntil":"2027-01-06T12:00:00Z"}]})");
}

TEST_F(Endpoints, RefuseAnInvalidRotation) {
    const Endpoint webhook = create(crm()).endpoint;
    const auto rotate = [&](const Endpoint& endpoint, Rotation rotation) {
        return rotate_secret.run(to_string(endpoint.id), rotation, std::nullopt, "req-2");
    };
    EXPECT_THAT(defects_of(rotate(webhook, {.old_signs_for = 169h})),
                ElementsAre("/oldSignsFor out_of_range"));
    EXPECT_THAT(defects_of(rotate(webhook, {.secret = "mine"})), ElementsAre("/secret bad_format"));
    NewEndpoint queue{.type = pull_type};
    queue.name = "queue";
    EXPECT_THAT(defects_of(rotate(create(queue).endpoint, {})), ElementsAre("/type not_allowed"));
    EXPECT_TRUE(rotate(webhook, {}));
    EXPECT_TRUE(rotate(webhook, {}));
    EXPECT_THAT(defects_of(rotate(webhook, {})), ElementsAre("/oldSignsFor not_allowed"));
    EXPECT_TRUE(rotate(webhook, {.old_signs_for = 0s}));
    const auto stale = rotate_secret.run(to_string(webhook.id), {}, Version{1}, "req-2");
    EXPECT_EQ(error_of<OptimisticLock>(stale).actual, Version{4});
}

TEST_F(Endpoints, OfTypeInboxSignOnceTheyHaveASecret) {
    const Endpoint unsigned_bin = create(bin()).endpoint;
    EXPECT_THAT(unsigned_bin.signing_keys, IsEmpty());
    EXPECT_THAT(defects_of(edit(unsigned_bin, {.secret = "whsec_mine"})),
                ElementsAre("/secret not_allowed"));
    const auto rotated =
        rotate_secret.run(to_string(unsigned_bin.id), {}, std::nullopt, "req-2").value();
    EXPECT_THAT(rotated.endpoint.signing_keys, SizeIs(1));
    EXPECT_THAT(rotated.secret, Not(IsEmpty()));

    NewEndpoint requested = bin();
    requested.secret = "whsec_mine";
    const auto made = create(requested);
    EXPECT_EQ(made.secret, "whsec_mine");
    ASSERT_THAT(made.endpoint.signing_keys, SizeIs(1));
    EXPECT_EQ(secrets.open(made.endpoint.signing_keys[0].sealed), "whsec_mine");
    EXPECT_TRUE(edit(made.endpoint, {.secret = "whsec_mine"}));
}

TEST_F(Endpoints, SignByEd25519OnRequest) {
    NewEndpoint requested = crm();
    requested.ed25519 = true;
    const Endpoint made = create(requested).endpoint;
    EXPECT_EQ(made.public_key, "whpk_public");
    ASSERT_THAT(made.signing_keys, SizeIs(2));
    EXPECT_EQ(made.signing_keys[1].scheme, SignatureScheme::v1a);

    EXPECT_THAT(edit(made, {.ed25519 = true}).value().signing_keys, SizeIs(2));
    const Endpoint without = edit(made, {.ed25519 = false}).value();
    EXPECT_THAT(without.public_key, IsEmpty());
    EXPECT_THAT(without.signing_keys, ElementsAre(made.signing_keys[0]));
    EXPECT_THAT(edit(made, {.ed25519 = true}).value().signing_keys, SizeIs(2));

    // A rotation renews both.
    const auto rotated = rotate_secret.run(to_string(made.id), {}, std::nullopt, "req-2").value();
    EXPECT_THAT(rotated.endpoint.signing_keys, SizeIs(4));

    NewEndpoint inbox = bin();
    inbox.ed25519 = true;
    EXPECT_THAT(refused(inbox), ElementsAre("/ed25519 not_allowed"));
    EXPECT_THAT(defects_of(edit(create(bin()).endpoint, {.ed25519 = true})),
                ElementsAre("/ed25519 not_allowed"));
}

TEST_F(Endpoints, OfTypePullSignNothingAndHaveNoFormat) {
    NewEndpoint requested{.type = pull_type};
    requested.name = "workers";
    requested.format = BodyFormat::envelope;
    requested.ed25519 = true;
    EXPECT_THAT(refused(requested),
                UnorderedElementsAre("/format not_allowed", "/ed25519 not_allowed"));
}

TEST_F(Endpoints, AreResealedWhenTheEncryptionKeyHasChanged) {
    const Endpoint current = create(crm()).endpoint;
    Endpoint old = create(crm()).endpoint;
    old.signing_keys[0].sealed = "old:" + old.signing_keys[0].sealed;
    ASSERT_TRUE(in_transaction(store, [&](Transaction& tx) { return tx.endpoints().update(old); }));

    ResealSecrets reseal{store, secrets};
    const auto first = reseal.run();
    EXPECT_EQ(first.resealed, 1U);
    EXPECT_EQ(first.unreadable, 0U);
    const Endpoint after = queries.endpoint(to_string(old.id)).value();
    EXPECT_EQ("old:" + after.signing_keys[0].sealed, old.signing_keys[0].sealed);
    EXPECT_EQ(after.version, old.version);
    EXPECT_EQ(queries.endpoint(to_string(current.id)).value(), current);
    EXPECT_EQ(reseal.run().resealed, 0U);
}

}  // namespace
}  // namespace sundial
