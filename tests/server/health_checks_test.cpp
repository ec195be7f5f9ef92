#include <gtest/gtest.h>

#include "server/health.hpp"
#include "support/builders.hpp"

namespace sundial::server {
namespace {

using namespace std::chrono_literals;
using Status = http::HealthCheck::Status;

TEST(HealthChecks, PassIfTheDatabaseAnswersWithinTwoSeconds) {
    EXPECT_EQ(database_check(true, 2s).status, Status::pass);
    EXPECT_EQ(database_check(true, 2s + 1us).status, Status::fail);
    EXPECT_EQ(database_check(false, 1ms).status, Status::fail);
}

TEST(HealthChecks, FailIfTheClaimLoopStops) {
    EXPECT_EQ(claim_loop_check(false, true).status, Status::pass);
    EXPECT_EQ(claim_loop_check(false, false).status, Status::fail);
    EXPECT_EQ(claim_loop_check(true, true).status, Status::fail);
}

TEST(HealthChecks, WarnOfARoleThatNoProcessHas) {
    EXPECT_EQ(roles_check({{"api", "ui"}, {"scheduler"}, {"worker"}}).status, Status::pass);
    const http::HealthCheck missing = roles_check({{"api", "ui"}, {"worker"}});
    EXPECT_EQ(missing.status, Status::warn);
    EXPECT_NE(missing.detail.find("role scheduler;"), std::string::npos) << missing.detail;
    EXPECT_NE(roles_check({}).detail.find("api, scheduler, worker"), std::string::npos);
}

TEST(HealthChecks, WarnBeforeTheDiskIsFull) {
    EXPECT_EQ(disk_check(256ULL << 20U).status, Status::pass);
    EXPECT_EQ(disk_check((256ULL << 20U) - 1).status, Status::warn);
    EXPECT_EQ(disk_check(0).status, Status::warn);
    EXPECT_EQ(disk_check(std::nullopt).status, Status::warn);
    EXPECT_GT(free_space_of("x.db").value(), 0U);
    EXPECT_FALSE(free_space_of("/no/such/folder/x.db"));
}

TEST(HealthChecks, WarnIfClocksDiffer) {
    EXPECT_EQ(clock_check(-1s).status, Status::pass);
    EXPECT_EQ(clock_check(1h).status, Status::warn);
    EXPECT_NE(clock_check(-3600s).detail.find("-3600 s"), std::string::npos);
}

TEST(HealthChecks, WarnFourteenDaysBeforeAKeyExpires) {
    const auto check = [](std::chrono::microseconds left) {
        return api_keys_check({.as_of = noon,
                               .keys = {{an_id<ApiKeyId>(), Role::read, noon + left},
                                        {an_id<ApiKeyId>(), Role::read, noon + 90 * 24h}}});
    };
    EXPECT_EQ(check(14 * 24h).status, Status::warn);
    EXPECT_NE(check(24h).detail.find("1 API key expires within 14 days"), std::string::npos);
    EXPECT_EQ(check(14 * 24h + 1us).status, Status::pass);
    EXPECT_EQ(api_keys_check({}).status, Status::pass);
}

}  // namespace
}  // namespace sundial::server
