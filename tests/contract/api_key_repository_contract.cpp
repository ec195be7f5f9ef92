#include <gmock/gmock.h>

#include "contract/control_plane_contract.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_P(ApiKeyRepositoryContract, KeepsEveryMember) {
    ApiKey key = an_api_key();
    key.name = "Nightly – ü" + std::string(244, 'x');
    key.role = Role::admin;
    for (char byte = 0; byte < 32; ++byte) key.secret_hash[static_cast<std::size_t>(byte)] = byte;
    key.expires_at = noon + 1us;
    key.last_used_at = noon - 1us;
    key.version = Version{7};
    const ApiKey plain = an_api_key();
    add(key, plain);
    EXPECT_THAT(all(), UnorderedElementsAre(key, plain));
}

TEST_P(ApiKeyRepositoryContract, FindsOnlyExistingKeys) { EXPECT_THAT(all(), IsEmpty()); }

TEST_P(ApiKeyRepositoryContract, ForgetsAKeyThatIsRemoved) {
    const ApiKey gone = an_api_key(), stays = an_api_key();
    add(gone, stays);
    write([&](Transaction& tx) {
        EXPECT_THAT(tx.api_keys().lock_all(), UnorderedElementsAre(gone, stays));
        tx.api_keys().remove(gone.id);
    });
    EXPECT_THAT(all(), ElementsAre(stays));
}

TEST_P(ApiKeyRepositoryContract, NotesTheLastUseAndNothingElse) {
    ApiKey key = an_api_key();
    add(key);
    write([&](Transaction& tx) {
        tx.api_keys().note_use(key.id, noon + 1h);
        tx.api_keys().note_use(an_id<ApiKeyId>(), noon);  // revoked in the meantime
    });
    key.last_used_at = noon + 1h;
    EXPECT_THAT(all(), ElementsAre(key));
}

TEST_P(ApiKeyRepositoryContract, ListsByCreationInPages) {
    ApiKey first = an_api_key(), second = an_api_key(), third = an_api_key();
    first.created_at = noon - 1us;
    third.created_at = noon + 1us;
    add(third, first, second);
    const auto list = [&](const PageRequest& page) {
        return read([&](Transaction& tx) { return tx.api_keys().list(page); });
    };
    const auto begin = list({.limit = 2, .after = std::nullopt});
    EXPECT_THAT(begin.items, ElementsAre(first, second));
    EXPECT_TRUE(begin.has_more);
    const PageKey last{std::to_string(second.created_at.time_since_epoch().count()),
                       second.id.value};
    EXPECT_THAT(list({.limit = 2, .after = last}).items, ElementsAre(third));
    const auto down = list({.limit = 2, .descending = true, .after = last});
    EXPECT_THAT(down.items, ElementsAre(first));
    EXPECT_FALSE(down.has_more);
}

}  // namespace
}  // namespace sundial
