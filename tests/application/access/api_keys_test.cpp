#include "application/access/api_keys.hpp"

#include <gmock/gmock.h>

#include "adapters/memory/store.hpp"
#include "application/ports/failures.hpp"
#include "support/builders.hpp"
#include "support/defects.hpp"
#include "support/fake_api_key_secrets.hpp"
#include "support/fake_ids.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class HandMono final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override { return time; }
    std::chrono::microseconds time{1000s};
};

/// Counts reads; fails when the test says so.
class CountedStore final : public Store {
public:
    explicit CountedStore(Store& store) : store_(store) {}
    void transact(const std::function<bool(Transaction&)>& work) override { store_.transact(work); }
    void read(const std::function<void(Transaction&)>& work) override {
        ++reads;
        if (away) throw Unavailable("away");
        store_.read(work);
    }
    [[nodiscard]] bool open_here() override { return store_.open_here(); }
    int reads = 0;
    bool away = false;

private:
    Store& store_;
};

class ApiKeys : public testing::Test {
protected:
    CreatedApiKey created(Role role = Role::read, std::optional<Instant> expires_at = {}) {
        return create.run({.name = "CRM", .role = role, .expires_at = expires_at}, admin).value();
    }
    std::vector<ApiKey> kept() {
        return in_read(memory, [](Transaction& tx) { return tx.api_keys().all(); });
    }
    std::vector<std::string> defects_of(const NewApiKey& requested) {
        const auto made = create.run(requested, admin);
        return made ? std::vector<std::string>{}
                    : brief(std::get<ValidationFailed>(made.error()).errors);
    }
    void pass(std::chrono::microseconds time) {
        monotonic.time += time;
        clock.advance(time);
    }

    const Caller admin{"req-1", "key:7f3a9k2m1q"};
    memory::ManualClock clock{noon};
    memory::MemoryStore memory{clock};
    CountedStore store{memory};
    FakeApiKeySecrets secrets;
    FakeIds ids;
    HandMono monotonic;
    /// As with an ADMIN key in the operator's file, so that tests may create any key first.
    std::vector<Role> fixed_roles{Role::admin};
    CreateApiKey create{memory, secrets, ids, [this] { return fixed_roles; }};
    RevokeApiKey revoke{memory, ids, [this] { return fixed_roles; }};
    ApiKeyRing ring{store, secrets, monotonic};
};

TEST_F(ApiKeys, AreShownOnceAndKeptByTheirHash) {
    const auto made = created(Role::write, noon + 1h);
    const auto shown = parse_key_text(made.text);
    ASSERT_TRUE(shown);
    EXPECT_EQ(shown->handle, handle_of(made.key.id));
    EXPECT_THAT(kept(), ElementsAre(made.key));
    EXPECT_EQ(made.key.secret_hash, secrets.hash(shown->secret));
    EXPECT_EQ(made.key.created_at, noon);
}

TEST_F(ApiKeys, NeedANameAndAFuture) {
    EXPECT_THAT(defects_of({}), ElementsAre("/name required"));
    EXPECT_THAT(defects_of({.name = std::string(256, 'x'), .expires_at = noon}),
                ElementsAre("/name too_long", "/expiresAt out_of_range"));
    EXPECT_TRUE(create.run({.name = std::string(255, 'x')}, admin));
}

TEST_F(ApiKeys, AreBoundedInNumber) {
    memory.transact([&](Transaction& tx) {
        for (std::size_t i = 0; i < max_api_keys; ++i) tx.api_keys().add(an_api_key());
        return true;
    });
    EXPECT_THAT(defects_of({.name = "one more"}), ElementsAre(" not_allowed"));
}

TEST_F(ApiKeys, RecordEachChangeWithoutTheSecret) {
    const auto made = created(Role::admin);
    ASSERT_TRUE(revoke.run(handle_of(made.key.id), admin));
    const auto recorded = memory.recorded();
    ASSERT_EQ(recorded.size(), 2U);
    EXPECT_EQ(recorded[0].stream.aggregate_type, "ApiKey");
    EXPECT_EQ(recorded[0].event_type, "ApiKeyCreated");
    EXPECT_EQ(recorded[0].metadata.actor, "key:7f3a9k2m1q");
    EXPECT_EQ(recorded[0].metadata.correlation_id, "req-1");
    EXPECT_EQ(recorded[0].data, R"({"name":"CRM","role":"ADMIN","expiresAt":null})");
    EXPECT_EQ(recorded[1].event_type, "ApiKeyRevoked");
    EXPECT_EQ(recorded[1].version, Version{2});
    EXPECT_EQ(recorded[1].metadata.actor, "key:7f3a9k2m1q");
}

TEST_F(ApiKeys, AreRevokedByIdOrHandle) {
    const auto one = created(), two = created();
    EXPECT_TRUE(revoke.run(to_string(one.key.id), admin));
    EXPECT_TRUE(revoke.run(handle_of(two.key.id), admin));
    EXPECT_TRUE(kept().empty());
    for (const std::string& gone : {to_string(one.key.id), std::string("nobody")}) {
        const auto refused = revoke.run(gone, admin);
        ASSERT_FALSE(refused);
        EXPECT_EQ(std::get<NotFound>(refused.error()).id, gone);
    }
}

TEST_F(ApiKeys, RequireAnAdminKeyFirst) {
    fixed_roles.clear();
    for (const Role role : {Role::read, Role::write}) {
        const auto refused = create.run({.name = "first", .role = role}, admin);
        ASSERT_FALSE(refused);
        EXPECT_TRUE(std::holds_alternative<FirstKeyNotAdmin>(refused.error()));
    }
    EXPECT_TRUE(kept().empty());
    EXPECT_TRUE(memory.recorded().empty());
    EXPECT_EQ(created(Role::admin).key.role, Role::admin);
    EXPECT_EQ(created(Role::read).key.role, Role::read);
}

TEST_F(ApiKeys, RefuseToRemoveTheLastAdminKey) {
    fixed_roles.clear();
    const auto ops = created(Role::admin), crm = created(Role::read);
    const auto refused = revoke.run(to_string(ops.key.id), admin);
    ASSERT_FALSE(refused);
    EXPECT_EQ(std::get<LastAdminKey>(refused.error()).refused, LastAdminKey::Refused::revocation);
    EXPECT_THAT(kept(), ElementsAre(ops.key, crm.key));
    EXPECT_TRUE(revoke.run(to_string(crm.key.id), admin));
    EXPECT_TRUE(revoke.run(to_string(ops.key.id), admin));
    EXPECT_TRUE(kept().empty());
}

TEST_F(ApiKeys, IdentifyTheCaller) {
    const auto made = created(Role::write);
    const auto holder = ring.holder_of(made.text);
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->handle, handle_of(made.key.id));
    EXPECT_EQ(holder->role, Role::write);
}

TEST_F(ApiKeys, AreRefusedWithAnotherSecret) {
    const auto made = created();
    const std::string handle = handle_of(made.key.id);
    EXPECT_FALSE(ring.holder_of(to_string(KeyText{handle, secrets.make().secret})));
    EXPECT_FALSE(ring.holder_of("sundial_sk_" + handle));
    EXPECT_FALSE(ring.holder_of(""));
}

TEST_F(ApiKeys, AreComparedEvenWhenUnknown) {
    created();
    secrets.compared = 0;
    EXPECT_FALSE(ring.holder_of(to_string(KeyText{"0000000000", secrets.make().secret})));
    EXPECT_EQ(secrets.compared, 1);
}

TEST_F(ApiKeys, AreNotReadAtEachRequest) {
    const auto made = created();
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(ring.holder_of(made.text));
    EXPECT_EQ(store.reads, 1);
    pass(ApiKeyRing::fresh_for);
    EXPECT_TRUE(ring.holder_of(made.text));
    EXPECT_EQ(store.reads, 2);
}

TEST_F(ApiKeys, AreRefusedWithinFiveSecondsOfBeingRevokedElsewhere) {
    const auto made = created();
    EXPECT_TRUE(ring.holder_of(made.text));
    ASSERT_TRUE(revoke.run(to_string(made.key.id), admin));
    pass(ApiKeyRing::fresh_for);
    EXPECT_FALSE(ring.holder_of(made.text));
    static_assert(ApiKeyRing::fresh_for < ApiKeyRing::stale_after);
    static_assert(ApiKeyRing::stale_after <= std::chrono::seconds{5});
}

TEST_F(ApiKeys, AreRefusedAtOnceWhereTheyWereRevoked) {
    const auto made = created();
    EXPECT_TRUE(ring.holder_of(made.text));
    ASSERT_TRUE(revoke.run(to_string(made.key.id), admin));
    ring.check_again();
    EXPECT_FALSE(ring.holder_of(made.text));
}

TEST_F(ApiKeys, AreRefusedOnceTheyHaveExpired) {
    const auto made = created(Role::read, noon + 1h);
    EXPECT_TRUE(ring.holder_of(made.text));
    pass(1h);
    EXPECT_FALSE(ring.holder_of(made.text));
    EXPECT_FALSE(ring.empty());  // an expired key still makes keys mandatory
}

TEST_F(ApiKeys, AreNotTrustedWithoutTheDatabase) {
    const auto made = created();
    EXPECT_TRUE(ring.holder_of(made.text));
    store.away = true;
    EXPECT_TRUE(ring.holder_of(made.text));
    pass(ApiKeyRing::fresh_for);
    EXPECT_THROW((void)ring.holder_of(made.text), Unavailable);
    EXPECT_THROW((void)ring.empty(), Unavailable);
    store.away = false;
    EXPECT_TRUE(ring.holder_of(made.text));
}

TEST_F(ApiKeys, RememberWhenTheyWereUsedWithoutAWriteForEachRequest) {
    const auto used = created(), idle = created();
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(ring.holder_of(used.text));
    EXPECT_FALSE(kept().at(0).last_used_at);
    ring.note_uses();
    EXPECT_EQ(kept().at(0).last_used_at, noon);
    EXPECT_FALSE(kept().at(1).last_used_at);
    EXPECT_EQ(kept().at(0).version, Version{1});
}

TEST_F(ApiKeys, ThatExpireAreListedSoonestFirst) {
    EXPECT_THAT(ring.expiring().keys, ElementsAre());
    const auto later = created(Role::write, noon + 2h), sooner = created(Role::read, noon + 1h);
    created(Role::admin);
    ring.check_again();
    const ExpiringKeys expiring = ring.expiring();
    EXPECT_EQ(expiring.as_of, noon);
    EXPECT_THAT(expiring.keys, ElementsAre(ExpiringKey{sooner.key.id, Role::read, noon + 1h},
                                           ExpiringKey{later.key.id, Role::write, noon + 2h}));
    pass(1h);
    ring.check_again();
    EXPECT_THAT(ring.expiring().keys,
                ElementsAre(ExpiringKey{later.key.id, Role::write, noon + 2h}));
}

TEST_F(ApiKeys, AreLastKnownWithoutTheDatabase) {
    EXPECT_EQ(ring.last_known_empty(), std::nullopt);
    EXPECT_TRUE(ring.empty());
    EXPECT_EQ(ring.last_known_empty(), true);
    created();
    store.away = true;
    ring.check_again();
    EXPECT_EQ(ring.last_known_empty(), true);
    store.away = false;
    ring.check_again();
    pass(1h);
    const int reads = store.reads;
    EXPECT_EQ(ring.last_known_empty(), false);
    EXPECT_EQ(store.reads, reads);
}

TEST_F(ApiKeys, CanBeFixedByAFileOfTheOperator) {
    EXPECT_TRUE(ring.empty());
    const auto fresh = secrets.make();
    ring.fix({{.handle = "7f3a9k2m1q", .role = Role::admin, .secret_hash = fresh.hash}});
    EXPECT_FALSE(ring.empty());
    EXPECT_EQ(ring.last_known_empty(), false);
    EXPECT_THAT(ring.fixed_roles(), ElementsAre(Role::admin));
    EXPECT_EQ(ring.holder_of(to_string(KeyText{"7f3a9k2m1q", fresh.secret}))->role, Role::admin);
    EXPECT_FALSE(ring.holder_of(to_string(KeyText{"7f3a9k2m1q", secrets.make().secret})));
    ring.fix({});
    EXPECT_FALSE(ring.holder_of(to_string(KeyText{"7f3a9k2m1q", fresh.secret})));
}

}  // namespace
}  // namespace sundial
