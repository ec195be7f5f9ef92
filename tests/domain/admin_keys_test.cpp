#include <gtest/gtest.h>

#include <vector>

#include "domain/api_key.hpp"
#include "support/builders.hpp"

namespace sundial {
namespace {

enum class Lasts : std::uint8_t { for_ever, one_hour, no_longer };

ApiKey a_key(Role role, Lasts lasts = Lasts::for_ever) {
    ApiKey key = an_api_key();
    key.role = role;
    if (lasts == Lasts::one_hour) key.expires_at = noon + 1h;
    if (lasts == Lasts::no_longer) key.expires_at = noon;
    return key;
}

constexpr auto ok = "";
constexpr auto first_key_not_admin = "FIRST_KEY_NOT_ADMIN";
constexpr auto no_expiry = "LAST_ADMIN_KEY: expiry";
constexpr auto no_revocation = "LAST_ADMIN_KEY: revocation";

std::string refusal_text(const Result<void>& answer) {
    if (answer) return ok;
    if (std::holds_alternative<FirstKeyNotAdmin>(answer.error())) return first_key_not_admin;
    const auto refused = std::get<LastAdminKey>(answer.error()).refused;
    return refused == LastAdminKey::Refused::expiry ? no_expiry : no_revocation;
}

struct Case {
    const char* name;
    ApiKey key;  // to be added; or to be removed, beside `others`
    std::vector<ApiKey> others;
    std::vector<Role> fixed;
    const char* answer;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class AddingAKey : public testing::TestWithParam<Case> {};
TEST_P(AddingAKey, LeavesOneThatCanManageKeys) {
    const Case& one = GetParam();
    EXPECT_EQ(refusal_text(may_add(one.key, {one.others, one.fixed}, noon)), one.answer);
}

class RemovingAKey : public testing::TestWithParam<Case> {};
TEST_P(RemovingAKey, LeavesOneThatCanManageKeys) {
    const Case& one = GetParam();
    std::vector<ApiKey> kept = one.others;
    kept.push_back(one.key);
    EXPECT_EQ(refusal_text(may_remove(one.key, {kept, one.fixed}, noon)), one.answer);
}

constexpr auto read = Role::read;
constexpr auto write = Role::write;
constexpr auto admin = Role::admin;
using enum Lasts;

INSTANTIATE_TEST_SUITE_P(
    Table, AddingAKey,
    testing::Values(
        Case{"read_first", a_key(read), {}, {}, first_key_not_admin},
        Case{"write_first", a_key(write), {}, {}, first_key_not_admin},
        Case{"admin_first", a_key(admin), {}, {}, ok},
        Case{"admin_first_that_expires", a_key(admin, one_hour), {}, {}, no_expiry},
        Case{"read_beside_admin", a_key(read), {a_key(admin)}, {}, ok},
        Case{"read_that_expires", a_key(read, one_hour), {a_key(admin)}, {}, ok},
        Case{"admin_that_expires_beside_one_that_lasts",
             a_key(admin, one_hour),
             {a_key(admin)},
             {},
             ok},
        Case{"admin_that_expires_beside_one_that_does",
             a_key(admin, one_hour),
             {a_key(admin, one_hour)},
             {},
             no_expiry},
        Case{"read_beside_keys_without_admin",
             a_key(read),
             {a_key(read), a_key(write)},
             {},
             first_key_not_admin},
        Case{"admin_beside_keys_without_admin", a_key(admin), {a_key(read)}, {}, ok},
        Case{"read_beside_admin_that_expires", a_key(read), {a_key(admin, one_hour)}, {}, ok},
        Case{"read_beside_admin_that_expired",
             a_key(read),
             {a_key(admin, no_longer)},
             {},
             first_key_not_admin},
        Case{"read_beside_admin_in_the_file", a_key(read), {}, {read, admin}, ok},
        Case{
            "admin_that_expires_beside_admin_in_the_file", a_key(admin, one_hour), {}, {admin}, ok},
        Case{"read_beside_others_in_the_file", a_key(read), {}, {write}, first_key_not_admin}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Table, RemovingAKey,
    testing::Values(
        Case{"only_key", a_key(admin), {}, {}, ok},
        Case{"last_admin_beside_read", a_key(admin), {a_key(read)}, {}, no_revocation},
        Case{"last_admin_beside_read_that_expired",
             a_key(admin),
             {a_key(read, no_longer)},
             {},
             no_revocation},
        Case{"last_admin_beside_a_file", a_key(admin), {}, {write}, no_revocation},
        Case{"last_admin_beside_admin_in_the_file", a_key(admin), {a_key(read)}, {admin}, ok},
        Case{"one_of_two_admins", a_key(admin), {a_key(admin)}, {}, ok},
        Case{"last_that_lasts_beside_admin_that_expires",
             a_key(admin),
             {a_key(admin, one_hour)},
             {},
             no_revocation},
        Case{"one_that_expires_beside_one_that_lasts",
             a_key(admin, one_hour),
             {a_key(admin), a_key(read)},
             {},
             ok},
        Case{"one_of_two_that_expire",
             a_key(admin, one_hour),
             {a_key(admin, one_hour), a_key(read)},
             {},
             ok},
        Case{"last_that_expires",
             a_key(admin, one_hour),
             {a_key(admin, no_longer), a_key(read)},
             {},
             no_revocation},
        Case{"one_that_has_expired", a_key(admin, no_longer), {a_key(read)}, {}, ok},
        Case{"read_beside_last_admin", a_key(read), {a_key(admin)}, {}, ok},
        Case{"write_without_any_admin", a_key(write), {a_key(read)}, {}, ok}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sundial
