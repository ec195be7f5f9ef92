#include "adapters/system/ids.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "adapters/system/crypto.hpp"

namespace sundial::system {
namespace {

using namespace std::chrono_literals;
using testing::MatchesRegex;

TEST(SystemIds, AreVersion7AndRiseWithinAProcess) {
    SystemIds ids;
    Uuid last = ids.fresh();
    for (int i = 0; i < 10'000; ++i) {
        const Uuid next = ids.fresh();
        ASSERT_LT(last, next);
        ASSERT_EQ(next.bytes[6] >> 4, 7);
        ASSERT_EQ(next.bytes[8] >> 6, 2);
        last = next;
    }
}

TEST(SystemIds, AreDistinctAcrossThreads) {
    SystemIds ids;
    std::vector<std::vector<Uuid>> made(4);
    std::vector<std::thread> threads;
    for (auto& list : made) {
        threads.emplace_back([&] {
            for (int i = 0; i < 5'000; ++i) list.push_back(ids.fresh());
        });
    }
    for (auto& thread : threads) thread.join();
    std::set<Uuid> all;
    for (const auto& list : made) all.insert(list.begin(), list.end());
    EXPECT_EQ(all.size(), 20'000U);
}

TEST(SystemIds, NeverRepeatTheirRandomPart) {
    SystemIds ids;
    std::vector<std::vector<std::string>> made(4);
    std::vector<std::thread> threads;
    for (auto& list : made) {
        threads.emplace_back([&] {
            for (int i = 0; i < 2'000; ++i) list.push_back(to_string(ids.fresh()).substr(19));
        });
    }
    for (auto& thread : threads) thread.join();
    std::set<std::string> all;
    for (const auto& list : made) all.insert(list.begin(), list.end());
    EXPECT_EQ(all.size(), 8'000U);
}

TEST(SystemIds, PutAnEventInTheShardOfItsFirstKey) {
    SystemIds ids;
    const IdempotencyKey key{"renewal-7"};
    const auto last = static_cast<std::uint8_t>(sha256("renewal-7").back());
    EXPECT_EQ(ids.event_id(key).value.bytes.back(), last);
    EXPECT_NE(ids.event_id(key), ids.event_id(key));
}

TEST(SystemIds, GenerateTheSameKeyForTheSameOccurrenceForEver) {
    SystemIds ids;
    const UserId user{*base::parse_uuid("01995b2c-7d3a-7c11-9f3e-0123456789ab")};
    const std::string_view day = "20877";  // 2027-02-28
    // printf 'birthday\n01995b2c-7d3a-7c11-9f3e-0123456789ab\n20877' | sha256sum | head -c 32
    EXPECT_EQ(ids.generated_key("birthday", user, day).value,
              "event-5c35e03c15ee814d3776e624cb900bc1");
    EXPECT_NE(ids.generated_key("birthday", user, day),
              ids.generated_key("birthday", user, "21242"));
    EXPECT_NE(ids.generated_key("birthday", user, day), ids.generated_key("renewal", user, day));
    // printf 'backup\n\n2027-02-28T02:30:00' | sha256sum | head -c 32
    EXPECT_EQ(ids.generated_key("backup", std::nullopt, "2027-02-28T02:30:00").value,
              "event-0c1b2f6b53c9f4df52361ff22bc82289");
    EXPECT_THAT(ids.random_key().value, MatchesRegex("event-[0-9a-f]{32}"));
}

TEST(SystemRandom, IsSpreadOverTheUnitInterval) {
    SystemRandom random;
    double low = 1;
    double high = 0;
    for (int i = 0; i < 10'000; ++i) {
        const double x = random.unit();
        low = std::min(low, x);
        high = std::max(high, x);
    }
    EXPECT_GE(low, 0.0);
    EXPECT_LT(high, 1.0);
    EXPECT_LT(low, 0.01);
    EXPECT_GT(high, 0.99);
}

}  // namespace
}  // namespace sundial::system
