#include "application/access/sessions.hpp"

#include <gmock/gmock.h>

#include "support/control_plane.hpp"
#include "support/fake_api_key_secrets.hpp"

namespace sundial {
namespace {

using testing::SizeIs;

class SessionsTest : public ControlPlane {
protected:
    std::string key(Role role = Role::admin) {
        const auto made = create.run({.name = "ops", .role = role}, Caller{"req-1"}).value();
        id = made.key.id;
        keys.check_again();
        return made.text;
    }
    void pass(std::chrono::microseconds time) {
        monotonic.time += time;
        ASSERT_TRUE(clock.set(clock.now() + time));
    }
    std::size_t stored() {
        return in_read(store, [](Transaction& tx) { return tx.sessions().all(); }).size();
    }
    Sessions::Ports ports_of() {
        return {.store = store, .keys = keys, .secrets = key_secrets, .monotonic = monotonic};
    }

    FakeApiKeySecrets key_secrets;
    ApiKeyRing keys{store, key_secrets, monotonic};
    CreateApiKey create{store, key_secrets, ids, [] { return std::vector<Role>{}; }};
    RevokeApiKey revoke{store, ids, [] { return std::vector<Role>{Role::admin}; }};
    Sessions sessions{ports_of(), std::chrono::hours{12}};
    Sessions other_instance{ports_of(), std::chrono::hours{12}};
    ApiKeyId id{Uuid{}};
};

TEST_F(SessionsTest, HaveTheRightsOfTheirKey) {
    const auto made = sessions.log_in(key(Role::admin)).value();
    EXPECT_EQ(made.session.holder.role, Role::admin);
    EXPECT_EQ(made.session.expires_at, noon + 12h);
    const auto held = sessions.holder_of(made.token).value();
    EXPECT_EQ(held.holder.role, Role::admin);
    EXPECT_EQ(held.holder.handle, made.session.holder.handle);
    EXPECT_EQ(held.csrf_token, made.session.csrf_token);
    EXPECT_FALSE(held.csrf_token.empty());
}

TEST_F(SessionsTest, AreNotOpenedByAnInvalidKeyOrFoundByAnotherToken) {
    (void)key();
    EXPECT_FALSE(sessions.log_in("sundial_sk_x"));
    EXPECT_FALSE(sessions.holder_of(std::string(43, 'x')));
    EXPECT_EQ(stored(), 0U);
}

TEST_F(SessionsTest, AreStoredWithoutTheirToken) {
    const auto made = sessions.log_in(key()).value();
    const auto all = in_read(store, [](Transaction& tx) { return tx.sessions().all(); });
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_NE(all[0].token_hash, made.token);
    EXPECT_EQ(all[0].token_hash, key_secrets.hash(made.token));
}

TEST_F(SessionsTest, ExpireEvenIfTheyAreUsed) {
    const auto made = sessions.log_in(key()).value();
    pass(12h - 1s);
    EXPECT_TRUE(sessions.holder_of(made.token));
    pass(1s);
    EXPECT_FALSE(sessions.holder_of(made.token));
}

TEST_F(SessionsTest, EndWithTheirKey) {
    const auto made = sessions.log_in(key()).value();
    ASSERT_TRUE(revoke.run(to_string(id), Caller{"req-2"}));
    EXPECT_EQ(stored(), 0U);
    pass(ApiKeyRing::stale_after);
    EXPECT_FALSE(sessions.holder_of(made.token));
}

TEST_F(SessionsTest, AreKnownToOtherInstancesSoonAndEndThereToo) {
    const std::string text = key();
    EXPECT_FALSE(other_instance.holder_of(std::string(43, 'x')));  // has read the sessions
    const auto made = sessions.log_in(text).value();
    pass(Sessions::reread_after);
    EXPECT_TRUE(other_instance.holder_of(made.token));
    sessions.log_out(made.token);
    EXPECT_FALSE(sessions.holder_of(made.token));
    EXPECT_TRUE(other_instance.holder_of(made.token));  // it has not read them again
    pass(ApiKeyRing::fresh_for);
    EXPECT_FALSE(other_instance.holder_of(made.token));
}

TEST_F(SessionsTest, AreBoundedForEachKey) {
    const std::string others = key(), text = key();
    const auto other = sessions.log_in(others).value();
    pass(1us);
    const auto first = sessions.log_in(text).value();
    for (std::size_t i = 1; i < max_sessions_of_key; ++i) {
        pass(1us);
        ASSERT_TRUE(sessions.log_in(text));
    }
    EXPECT_TRUE(sessions.holder_of(first.token));
    pass(1us);
    ASSERT_TRUE(sessions.log_in(text));
    EXPECT_FALSE(sessions.holder_of(first.token));
    EXPECT_TRUE(sessions.holder_of(other.token));
    EXPECT_EQ(stored(), max_sessions_of_key + 1);
}

TEST_F(SessionsTest, AreBounded) {
    const auto first = sessions.log_in(key()).value();
    for (std::size_t keys_made = 0; keys_made < max_sessions / max_sessions_of_key; ++keys_made) {
        const std::string text = key();
        for (std::size_t i = 0; i < max_sessions_of_key; ++i) {
            pass(1us);
            ASSERT_TRUE(sessions.log_in(text));
        }
    }
    EXPECT_EQ(stored(), max_sessions);
    EXPECT_FALSE(sessions.holder_of(first.token));
}

}  // namespace
}  // namespace sundial
