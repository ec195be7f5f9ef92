#include <gmock/gmock.h>

#include "contract/control_plane_contract.hpp"

namespace sundial {
namespace {

using namespace std::chrono;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

/// 255 characters of four bytes.
std::string longest_user_name() {
    std::string name;
    for (int i = 0; i < 255; ++i) name += "🎂";
    return name;
}

TEST_P(UserRepositoryContract, KeepsEveryMemberOfAUser) {
    User user = a_user()
                    .with_external_id("crm 7/ü:'\"%_")
                    .named("Zoë 🎂 O'Neil", longest_user_name())
                    .born(year{1892} / 2 / 29)
                    .in("America/Argentina/ComodRivadavia")
                    .with_date("anniversary", year{2015} / 6 / 1)
                    .with_date("b_2", year{1} / 1 / 1)
                    .with_metadata("team", "blau\n\"weiß\" {}")
                    .with_metadata("empty", "")
                    .created(noon - 7us);
    user.updated_at = noon + 3us;
    user.version = Version{12};
    const User plain = a_user();
    add(user, plain);
    EXPECT_EQ(find(user.id), user);
    EXPECT_EQ(find(plain.id), plain);
    EXPECT_FALSE(find(an_id<UserId>()));
}

TEST_P(UserRepositoryContract, FindsAllUsers) {
    const User one = a_user().with_metadata("plan", "gold");
    const User other = a_user();
    add(one, other, a_user());
    const std::vector<UserId> ids{other.id, an_id<UserId>(), one.id, other.id};
    EXPECT_THAT(read([&](Transaction& tx) { return tx.users().find_all(ids); }),
                testing::UnorderedElementsAre(one, other));
    EXPECT_THAT(read([](Transaction& tx) { return tx.users().find_all({}); }), testing::IsEmpty());
}

TEST_P(UserRepositoryContract, FindsTheIdOfAnExternalIdExactly) {
    const User user = a_user().with_external_id("CRM-7");
    add(user, a_user());
    const auto id_of = [&](std::string_view external_id) {
        return read([&](Transaction& tx) { return tx.users().id_of(external_id); });
    };
    EXPECT_EQ(id_of("CRM-7"), user.id);
    EXPECT_FALSE(id_of("crm-7"));
    EXPECT_FALSE(id_of("CRM-"));
    EXPECT_FALSE(id_of(""));
}

TEST_P(UserRepositoryContract, RefusesAnExternalIdThatAnotherUserHas) {
    const User holder = a_user().with_external_id("crm-7");
    add(holder);
    const User second = a_user().with_external_id("crm-7");
    const auto answer =
        in_transaction(store(), [&](Transaction& tx) { return tx.users().add(second); });
    ASSERT_TRUE(is<DuplicateExternalId>(answer));
    const auto& duplicate = answer.error();
    EXPECT_EQ(duplicate.noun, Noun::user);
    EXPECT_EQ(duplicate.external_id, "crm-7");
    EXPECT_EQ(duplicate.existing, holder.id.value);
    EXPECT_FALSE(find(second.id));
}

TEST_P(UserRepositoryContract, RefusesAChangeToAnExternalIdThatAnotherUserHas) {
    const User holder = a_user().with_external_id("crm-7");
    const User user = a_user().with_external_id("crm-8");
    add(holder, user);
    User changed = user;
    changed.external_id = "crm-7";
    const auto answer = in_transaction(store(), [&](Transaction& tx) {
        EXPECT_TRUE(tx.users().lock(user.id));
        return tx.users().update(changed);
    });
    ASSERT_TRUE(is<DuplicateExternalId>(answer));
    EXPECT_EQ(answer.error().existing, holder.id.value);
    EXPECT_EQ(find(user.id), user);
}

TEST_P(UserRepositoryContract, StaysUsableInATransactionAfterATakenExternalId) {
    add(a_user().with_external_id("crm-7"));
    const User other = a_user();
    write([&](Transaction& tx) {
        EXPECT_FALSE(tx.users().add(a_user().with_external_id("crm-7")));
        EXPECT_TRUE(tx.users().add(other));
    });
    EXPECT_TRUE(find(other.id));
}

TEST_P(UserRepositoryContract, ReplacesALockedUser) {
    const User user = a_user().with_external_id("crm-7").with_date("d", year{2000} / 1 / 1);
    add(user);
    User changed = a_user()
                       .with_id(user.id)
                       .with_external_id("crm-7")
                       .named("Bea", "Ng")
                       .born(year{2001} / 3 / 4)
                       .in("Asia/Tokyo")
                       .with_metadata("m", "v");
    changed.version = Version{2};
    changed.updated_at = noon;
    write([&](Transaction& tx) {
        EXPECT_EQ(tx.users().lock(user.id), user);
        EXPECT_TRUE(tx.users().update(changed));
        EXPECT_EQ(tx.users().find(user.id), changed);
        EXPECT_FALSE(tx.users().lock(an_id<UserId>()));
    });
    EXPECT_EQ(find(user.id), changed);
    changed.external_id.reset();
    write([&](Transaction& tx) {
        EXPECT_TRUE(tx.users().lock(user.id));
        EXPECT_TRUE(tx.users().update(changed));
    });
    add(a_user().with_external_id("crm-7"));  // the external id is free again
}

TEST_P(UserRepositoryContract, RemovesAUserAndFreesItsExternalId) {
    const User user = a_user().with_external_id("crm-7");
    add(user);
    write([&](Transaction& tx) {
        EXPECT_TRUE(tx.users().lock(user.id));
        tx.users().remove(user.id);
    });
    EXPECT_FALSE(find(user.id));
    add(a_user().with_external_id("crm-7"));
}

TEST_P(UserRepositoryContract, SharesExistingUsers) {
    const User one = a_user();
    const User other = a_user();
    add(one, other, a_user());
    const std::vector<UserId> ids{one.id, an_id<UserId>(), other.id};
    EXPECT_THAT(write([&](Transaction& tx) { return tx.users().share(ids); }),
                UnorderedElementsAre(one, other));
    EXPECT_THAT(write([&](Transaction& tx) { return tx.users().share({}); }), IsEmpty());
    EXPECT_THAT(write([&](Transaction& tx) { return tx.users().try_share(ids); }),
                UnorderedElementsAre(one, other));
    EXPECT_THAT(write([&](Transaction& tx) { return tx.users().try_share({}); }), IsEmpty());
}

TEST_P(UserRepositoryContract, FindsTheIdsOfManyExternalIdsExactly) {
    const User one = a_user().with_external_id("crm-1"), other = a_user().with_external_id("crm-2");
    add(one, other, a_user());
    read([&](Transaction& tx) {
        const std::vector<std::string> asked{"crm-2", "CRM-1", "crm-1", "", "crm-2"};
        EXPECT_THAT(tx.users().ids_of(asked),
                    UnorderedElementsAre(Pair("crm-1", one.id), Pair("crm-2", other.id)));
        EXPECT_THAT(tx.users().ids_of({}), IsEmpty());
        return true;
    });
}

TEST_P(UserRepositoryContract, WalksAllUsersById) {
    std::vector<User> all;
    for (int i = 0; i < 7; ++i) {
        all.push_back(a_user());
        add(all.back());
    }
    std::vector<User> seen;
    std::optional<UserId> after;
    for (bool more = true; more;) {
        const auto some = write([&](Transaction& tx) { return tx.users().share_after(after, 3); });
        more = !some.empty();
        EXPECT_LE(some.size(), 3U);
        seen.insert(seen.end(), some.begin(), some.end());
        if (more) after = some.back().id;
    }
    EXPECT_EQ(seen, all);
}

TEST_P(UserRepositoryContract, FiltersAList) {
    const User paris = a_user()
                           .named("Ada", "Li")
                           .born(year{1992} / 2 / 29)
                           .with_external_id("crm_7")
                           .created(noon - 1s);
    const User tokyo =
        a_user().named("Bea", "Ng").born(year{1990} / 12 / 1).in("Asia/Tokyo").created(noon);
    const User rome =
        a_user().named("Adam", "Oh").born(year{1980} / 2 / 1).in("Europe/Rome").created(noon + 1s);
    add(paris, tokyo, rome);
    const auto like = [&](auto ask) {
        UserQuery query;
        ask(query);
        std::vector<UserId> ids;
        const auto page = read([&](Transaction& tx) { return tx.users().list(query); });
        for (const User& user : page.items) ids.push_back(user.id);
        return ids;
    };
    EXPECT_THAT(like([](UserQuery&) {}), ElementsAre(paris.id, tokyo.id, rome.id));
    EXPECT_THAT(like([](UserQuery& q) { q.timezones = {"Asia/Tokyo", "Europe/Rome"}; }),
                ElementsAre(tokyo.id, rome.id));
    EXPECT_THAT(like([](UserQuery& q) { q.birth_month = 2; }), ElementsAre(paris.id, rome.id));
    EXPECT_THAT(like([](UserQuery& q) { q.birth_day = 1; }), ElementsAre(tokyo.id, rome.id));
    EXPECT_THAT(like([](UserQuery& q) {
                    q.birth_month = 2;
                    q.birth_day = 29;
                }),
                ElementsAre(paris.id));
    EXPECT_THAT(like([](UserQuery& q) { q.created_from = noon; }), ElementsAre(tokyo.id, rome.id));
    EXPECT_THAT(like([](UserQuery& q) { q.created_to = noon; }), ElementsAre(paris.id));
    const auto starting = [&](const std::string& prefix) {
        return like([&](UserQuery& q) { q.prefix = prefix; });
    };
    EXPECT_THAT(starting("Ada"), ElementsAre(paris.id, rome.id));
    EXPECT_THAT(starting("ada"), IsEmpty());
    EXPECT_THAT(starting("N"), ElementsAre(tokyo.id));
    EXPECT_THAT(starting("crm_"), ElementsAre(paris.id));
    EXPECT_THAT(starting("%"), IsEmpty());
    EXPECT_THAT(starting("_"), IsEmpty());
    EXPECT_THAT(starting(to_string(rome.id)), ElementsAre(rome.id));
}

/// A page of such a query has few of many users, or none.
UserQuery rare_users(UserQuery::Sort sort, bool descending, std::size_t max_passed) {
    UserQuery query;
    query.prefix = "Rare";
    query.sort = sort;
    query.page = {.limit = 50, .descending = descending, .after = std::nullopt};
    query.max_passed = max_passed;
    return query;
}

/// A page whose filter matches few of many users ends early, with the place to continue from.
TEST_P(UserRepositoryContract, PassesABoundedNumberOfUsersPerPage) {
    std::vector<UserId> rare;
    for (int i = 0; i < 40; ++i) {
        const bool is_rare = i % 13 == 12;
        User user = a_user()
                        .named(is_rare ? "Rare" : "N", std::string(1, char('a' + i % 7)))
                        .created(noon + 1s * (i % 5));
        user.updated_at = noon + 1s * (i % 3);
        add(user);
        if (is_rare) rare.push_back(user.id);
    }
    using Sort = UserQuery::Sort;
    for (const auto sort : {Sort::created_at, Sort::last_name, Sort::updated_at}) {
        for (const bool descending : {false, true}) {
            UserQuery query = rare_users(sort, descending, 4);
            std::vector<UserId> found;
            int pages = 1;
            for (; pages < 20; ++pages) {
                const auto page = read([&](Transaction& tx) { return tx.users().list(query); });
                for (const User& user : page.items) found.push_back(user.id);
                if (!page.has_more) break;
                ASSERT_TRUE(page.passed);
                query.page.after = page.passed;
            }
            EXPECT_THAT(found, UnorderedElementsAreArray(rare));
            EXPECT_EQ(pages, 11) << "ten pages of 4 users, and one that finds no more";
        }
    }
}

/// No adapter looks behind the last row that a page may pass.
TEST_P(UserRepositoryContract, APageThatPassedTheMaximumHasMore) {
    for (int i = 0; i < 3; ++i) add(a_user().named("Common", "N").created(noon + 1s * i));
    using Sort = UserQuery::Sort;
    for (const auto sort : {Sort::created_at, Sort::last_name, Sort::updated_at}) {
        for (const bool descending : {false, true}) {
            UserQuery query = rare_users(sort, descending, 4);
            EXPECT_FALSE(read([&](Transaction& tx) { return tx.users().list(query); }).has_more);

            query.max_passed = 3;
            const auto full = read([&](Transaction& tx) { return tx.users().list(query); });
            EXPECT_THAT(full.items, IsEmpty());
            EXPECT_TRUE(full.has_more);
            ASSERT_TRUE(full.passed);
            query.page.after = full.passed;
            EXPECT_FALSE(read([&](Transaction& tx) { return tx.users().list(query); }).has_more);
        }
    }
}

TEST_P(UserRepositoryContract, PassesAnyNumberOfUsersIfNoFilterIsRare) {
    for (int i = 0; i < 9; ++i) add(a_user().created(noon + 1s * i));
    UserQuery query;
    query.max_passed = 2;
    query.created_from = noon + 1s;  // where a list by creation begins
    const auto page = read([&](Transaction& tx) { return tx.users().list(query); });
    EXPECT_EQ(page.items.size(), 8U);
    EXPECT_FALSE(page.has_more);
    query.max_passed.reset();
    query.prefix = "no such user";
    EXPECT_FALSE(read([&](Transaction& tx) { return tx.users().list(query); }).has_more);
}

TEST_P(UserRepositoryContract, WalksATimeOfCreationInBothDirections) {
    std::vector<UserId> inside;
    for (int i = 0; i < 20; ++i) {
        const User user =
            a_user().named(i % 2 == 0 ? "Even" : "Odd", "N").created(noon + 1s * (i / 2));
        add(user);
        const bool is_inside = i / 2 >= 3 && i / 2 < 7;
        if (is_inside) inside.push_back(user.id);
    }
    for (const bool descending : {false, true}) {
        for (const bool rare : {false, true}) {
            UserQuery query;
            query.created_from = noon + 3s;
            query.created_to = noon + 7s;
            if (rare) query.prefix = "Even";
            query.max_passed = 3;
            query.page = {.limit = 3, .descending = descending, .after = std::nullopt};
            std::vector<UserId> found;
            int pages = 1;
            for (; pages < 20; ++pages) {
                const auto page = read([&](Transaction& tx) { return tx.users().list(query); });
                for (const User& user : page.items) found.push_back(user.id);
                if (!page.has_more) break;
                query.page.after = page.passed;
                if (!page.passed) {
                    const User& last = page.items.back();
                    query.page.after = PageKey{
                        std::to_string(last.created_at.time_since_epoch().count()), last.id.value};
                }
            }
            std::vector<UserId> expected;
            for (std::size_t i = 0; i < inside.size(); i += rare ? 2U : 1U)
                expected.push_back(inside[i]);
            if (descending) std::ranges::reverse(expected);
            EXPECT_EQ(found, expected) << descending << rare;
            EXPECT_EQ(pages, 3) << "8 of 20 users are inside, and a page passes 3: " << rare;
        }
    }
}

TEST_P(UserRepositoryContract, SortsAListBothWaysAndWalksEveryRowOnce) {
    const std::vector<std::string> names{"Ä", "Z", "a", "Ng", "Ng", "ng", "N", "Öz", "日本"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        User user = a_user().named("N", names[i]).created(noon - 1us * (i % 3));
        user.updated_at = noon + 1s * (i % 4);
        add(user);
    }
    using Sort = UserQuery::Sort;
    const auto value_of = [](const User& user, Sort sort) -> std::string {
        if (sort == Sort::last_name) return user.last_name;
        const auto at = sort == Sort::created_at ? user.created_at : user.updated_at;
        return std::to_string(at.time_since_epoch().count());  // equal lengths: text order
    };
    for (const auto sort : {Sort::created_at, Sort::last_name, Sort::updated_at}) {
        for (const bool descending : {false, true}) {
            std::vector<User> seen;
            UserQuery query;
            query.sort = sort;
            query.page = {.limit = 2, .descending = descending, .after = std::nullopt};
            for (bool more = true; more;) {
                const auto page = read([&](Transaction& tx) { return tx.users().list(query); });
                more = page.has_more;
                seen.insert(seen.end(), page.items.begin(), page.items.end());
                ASSERT_LE(seen.size(), names.size());
                query.page.after = PageKey{value_of(seen.back(), sort), seen.back().id.value};
            }
            ASSERT_EQ(seen.size(), names.size());
            for (std::size_t i = 1; i < seen.size(); ++i) {
                const auto a = std::pair{value_of(seen[i - 1], sort), seen[i - 1].id};
                const auto b = std::pair{value_of(seen[i], sort), seen[i].id};
                EXPECT_TRUE(descending ? a > b : a < b) << a.first << " " << b.first;
            }
        }
    }
}

}  // namespace
}  // namespace sundial
