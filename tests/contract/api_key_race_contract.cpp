#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "application/access/api_keys.hpp"
#include "contract/race_contract.hpp"
#include "support/fake_api_key_secrets.hpp"

namespace sundial {
namespace {

using testing::SizeIs;

std::vector<Role> no_file() { return {}; }

/// Creates and revokes keys in one of two instances.
struct KeyAdmin {
    KeyAdmin(Store& store, Ids& ids)
        : create(store, secrets, ids, no_file), revoke(store, ids, no_file) {}
    FakeApiKeySecrets secrets;
    CreateApiKey create;
    RevokeApiKey revoke;
};

ApiKey a_key(Role role) {
    ApiKey key = an_api_key();
    key.role = role;
    return key;
}

std::size_t admins(const std::vector<ApiKey>& keys) {
    return static_cast<std::size_t>(std::ranges::count(keys, Role::admin, &ApiKey::role));
}

TEST_P(ApiKeyRaceContract, OfTheLastTwoAdminKeysRevokedAtOnceOneStays) {
    KeyAdmin here{store(), ids}, there{store(), ids};
    for (int round = 0; round < rounds; ++round) {
        const ApiKey first = a_key(Role::admin), second = a_key(Role::admin);
        replace_all({first, second, a_key(Role::read)});
        std::optional<Result<void>> one, two;
        race({[&] { one = here.revoke.run(to_string(first.id), "req-1"); },
              [&] { two = there.revoke.run(to_string(second.id), "req-2"); }});

        ASSERT_NE(one->has_value(), two->has_value());
        ASSERT_TRUE(is<LastAdminKey>(*one ? *two : *one));
        ASSERT_EQ(admins(all()), 1U);
    }
}

TEST_P(ApiKeyRaceContract, TheOnlyKeyIsNotRevokedWhileAnotherIsCreated) {
    KeyAdmin here{store(), ids}, there{store(), ids};
    for (int round = 0; round < rounds; ++round) {
        const ApiKey only = a_key(Role::admin);
        replace_all({only});
        std::optional<Result<void>> revoked;
        std::optional<Result<CreatedApiKey>> made;
        race({[&] { revoked = here.revoke.run(to_string(only.id), "req-1"); },
              [&] { made = there.create.run({.name = "x", .role = Role::read}, "req-2"); }});

        ASSERT_NE(revoked->has_value(), made->has_value());
        if (*revoked) {
            ASSERT_TRUE(is<FirstKeyNotAdmin>(*made));
            ASSERT_THAT(all(), SizeIs(0));
        } else {
            ASSERT_TRUE(is<LastAdminKey>(*revoked));
            ASSERT_EQ(admins(all()), 1U);
        }
    }
}

TEST_P(ApiKeyRaceContract, AKeyCreatedDuringTheFirstAdminKeyExistsOrIsRefused) {
    KeyAdmin here{store(), ids}, there{store(), ids};
    for (int round = 0; round < rounds; ++round) {
        replace_all({});
        std::optional<Result<CreatedApiKey>> admin, other;
        race({[&] { admin = here.create.run({.name = "a", .role = Role::admin}, "req-1"); },
              [&] { other = there.create.run({.name = "w", .role = Role::write}, "req-2"); }});

        ASSERT_TRUE(admin->has_value());
        ASSERT_TRUE(other->has_value() || is<FirstKeyNotAdmin>(*other));
        ASSERT_THAT(all(), SizeIs(*other ? 2 : 1));
    }
}

TEST_P(ApiKeyRaceContract, TheMaximumIsNeverExceeded) {
    std::vector<ApiKey> keys{a_key(Role::admin)};
    while (keys.size() < max_api_keys - 2) keys.push_back(an_api_key());
    replace_all(keys);
    std::vector<KeyAdmin> key_admins;
    constexpr int racers = 6;
    key_admins.reserve(racers);
    for (int i = 0; i < racers; ++i) key_admins.emplace_back(store(), ids);
    std::atomic<int> made = 0;
    at_once(racers, [&](int i) {
        if (key_admins[static_cast<std::size_t>(i)].create.run({.name = "x"}, "req-1")) ++made;
    });
    EXPECT_EQ(made, 2);
    EXPECT_THAT(all(), SizeIs(max_api_keys));
}

}  // namespace
}  // namespace sundial
