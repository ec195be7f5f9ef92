#include "adapters/http/rate_limits.hpp"

#include <gtest/gtest.h>

namespace sundial::http {
namespace {

using namespace std::chrono_literals;

TEST(TokenBuckets, LetABurstOfASecondThroughAndThenTheRate) {
    TokenBuckets buckets(3);
    EXPECT_EQ(buckets.take("key", 1000s).left, 2U);
    EXPECT_TRUE(buckets.take("key", 1000s).taken);
    EXPECT_TRUE(buckets.take("key", 1000s).taken);
    EXPECT_FALSE(buckets.take("key", 1000s).taken);
    EXPECT_FALSE(buckets.take("key", 1000s + 333ms).taken);
    EXPECT_TRUE(buckets.take("key", 1000s + 334ms).taken);
    EXPECT_FALSE(buckets.take("key", 1000s + 335ms).taken);
}

TEST(TokenBuckets, SaveNoMoreThanASecond) {
    TokenBuckets buckets(2);
    EXPECT_EQ(buckets.take("key", 1000s).left, 1U);
    EXPECT_EQ(buckets.take("key", 9000s).left, 1U);
}

TEST(TokenBuckets, KeepNamesApart) {
    TokenBuckets buckets(1);
    EXPECT_TRUE(buckets.take("one", 1000s).taken);
    EXPECT_FALSE(buckets.take("one", 1000s).taken);
    EXPECT_TRUE(buckets.take("two", 1000s).taken);
}

TEST(TokenBuckets, StayBoundedForAnyNumberOfClients) {
    TokenBuckets buckets(1);
    for (int i = 0; i < 30'000; ++i) {
        EXPECT_TRUE(buckets.take(std::to_string(i), 1000s).taken);
    }
}

TEST(FailureLimit, AllowsTenInAnyMinute) {
    FailureLimit failures(10);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(failures.count("1.2.3.4", 1000s + i * 1s), 0s);
    EXPECT_EQ(failures.count("1.2.3.4", 1010s), 50s);
    EXPECT_EQ(failures.count("1.2.3.4", 1059s), 1s);
    EXPECT_EQ(failures.count("1.2.3.4", 1060s), 0s);  // the first failure was a minute ago
    EXPECT_EQ(failures.count("1.2.3.4", 1060s), 1s);
    EXPECT_EQ(failures.count("5.6.7.8", 1060s), 0s);
}

TEST(FailureLimit, StaysBoundedForAnyNumberOfClients) {
    FailureLimit failures(1);
    for (int i = 0; i < 30'000; ++i) EXPECT_EQ(failures.count(std::to_string(i), 1000s), 0s);
}

}  // namespace
}  // namespace sundial::http
