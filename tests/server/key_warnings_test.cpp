#include <gmock/gmock.h>

#include "server/key_maintenance.hpp"
#include "support/builders.hpp"

namespace sundial::server {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

ExpiringKeys expiring_in(std::chrono::microseconds left, ApiKeyId id, Instant now = noon) {
    return {.as_of = now, .keys = {{id, Role::write, now + left}}};
}

TEST(KeyWarnings, BeginFourteenDaysBeforeExpiry) {
    const auto id = an_id<ApiKeyId>();
    EXPECT_THAT(KeyWarnings{}.due(expiring_in(14 * 24h, id)), SizeIs(1));
    EXPECT_THAT(KeyWarnings{}.due(expiring_in(14 * 24h + 1us, id)), IsEmpty());
}

TEST(KeyWarnings, NameTheKeyByItsId) {
    const auto id = an_id<ApiKeyId>();
    const auto lines = KeyWarnings{}.due(expiring_in(24h, id));
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_EQ(lines[0].event_name, "api_key.expiring");
    EXPECT_EQ(lines[0].level, base::LogLevel::warn);
    ASSERT_THAT(lines[0].fields, SizeIs(3));
    EXPECT_EQ(lines[0].fields[0].first, "apiKeyId");
    EXPECT_EQ(std::get<std::string>(lines[0].fields[0].second), to_string(id));
}

TEST(KeyWarnings, AreLoggedOnceADayForEachKey) {
    const auto one = an_id<ApiKeyId>(), other = an_id<ApiKeyId>();
    KeyWarnings warnings;
    ExpiringKeys both{.as_of = noon,
                      .keys = {{one, Role::read, noon + 48h}, {other, Role::read, noon + 72h}}};
    EXPECT_THAT(warnings.due(both), SizeIs(2));
    both.as_of += 24h - 1us;
    EXPECT_THAT(warnings.due(both), IsEmpty());
    both.as_of += 1us;
    EXPECT_THAT(warnings.due(both), SizeIs(2));
}

TEST(KeyWarnings, EndWhenTheKeyIsRemoved) {
    const auto id = an_id<ApiKeyId>();
    KeyWarnings warnings;
    EXPECT_THAT(warnings.due(expiring_in(1h, id)), SizeIs(1));
    EXPECT_THAT(warnings.due({.as_of = noon + 1min}), IsEmpty());
    EXPECT_THAT(warnings.due(expiring_in(1h, id, noon + 2min)), SizeIs(1));
}

}  // namespace
}  // namespace sundial::server
