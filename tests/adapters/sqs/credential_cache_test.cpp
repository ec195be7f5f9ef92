#include "adapters/sqs/credential_cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <semaphore>

#include "support/builders.hpp"

namespace sundial::sqs {
namespace {

class SetClock final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override { return now_.load(); }
    void pass(std::chrono::microseconds time) { now_ = now_.load() + time; }

private:
    std::atomic<std::chrono::microseconds> now_{std::chrono::hours(1)};
};

/// Finds what a test puts into `results`, one for each search.
class CredentialCacheTest : public testing::Test {
protected:
    CredentialCacheTest()
        : cache(
              [this] {
                  const std::lock_guard lock(mutex);
                  CredentialResult next = results.front();
                  results.pop_front();
                  ++searches;
                  return next;
              },
              [this] { ended.release(); }, clock) {}

    void will_find(CredentialResult result) {
        const std::lock_guard lock(mutex);
        results.push_back(std::move(result));
    }
    static Credentials credentials(const std::string& name, std::optional<Instant> expires) {
        return {{name, "secret", ""}, expires};
    }
    /// The access key of the answer; "pending", or the reason why there is none.
    std::string ask(Instant now = noon) {
        const CredentialCache::Answer answer = cache.ask(now);
        if (const auto* keys = std::get_if<AwsKeys>(&answer)) return keys->access_key;
        if (const auto* none = std::get_if<NoCredentials>(&answer)) return none->reason;
        return "pending";
    }

    SetClock clock;
    std::mutex mutex;
    std::deque<CredentialResult> results;
    std::atomic<int> searches{0};
    std::counting_semaphore<> ended{0};
    CredentialCache cache;
};

TEST_F(CredentialCacheTest, SearchesOnceForAllThatAsk) {
    will_find(credentials("A", std::nullopt));
    EXPECT_EQ(ask(), "pending");
    ended.acquire();
    EXPECT_EQ(ask(), "A");
    EXPECT_EQ(ask(), "A");
    EXPECT_EQ(searches, 1);
}

TEST_F(CredentialCacheTest, RefreshesBeforeTheKeysExpireAndUsesThemMeanwhile) {
    will_find(credentials("A", noon + 1h));
    will_find(credentials("B", noon + 2h));
    (void)ask();
    ended.acquire();
    EXPECT_EQ(ask(), "A");
    clock.pass(56min);
    EXPECT_EQ(ask(noon + 56min), "A");  // and searches
    ended.acquire();
    EXPECT_EQ(ask(noon + 56min), "B");
    EXPECT_EQ(searches, 2);
}

TEST_F(CredentialCacheTest, KeepsKeysThatAreStillValidIfARefreshFails) {
    will_find(credentials("A", noon + 1h));
    will_find(NoCredentials{"the service is down"});
    will_find(NoCredentials{"the service is down"});
    (void)ask();
    ended.acquire();
    clock.pass(56min);
    EXPECT_EQ(ask(noon + 56min), "A");
    ended.acquire();
    EXPECT_EQ(ask(noon + 57min), "A");
    clock.pass(4min);
    EXPECT_EQ(ask(noon + 60min), "pending");
    ended.acquire();
    EXPECT_EQ(ask(noon + 60min), "the AWS credentials have expired");
}

TEST_F(CredentialCacheTest, RepeatsAFailureForASecond) {
    will_find(NoCredentials{"none"});
    will_find(credentials("A", std::nullopt));
    (void)ask();
    ended.acquire();
    EXPECT_EQ(ask(), "none");
    clock.pass(1s);
    EXPECT_EQ(ask(), "pending");
    ended.acquire();
    EXPECT_EQ(ask(), "A");
}

TEST_F(CredentialCacheTest, SearchesAgainForKeysThatTheServiceRefused) {
    will_find(credentials("A", std::nullopt));
    will_find(credentials("B", std::nullopt));
    (void)ask();
    ended.acquire();
    cache.refuse({"OLDER", "secret", ""});
    EXPECT_EQ(ask(), "A");
    cache.refuse({"A", "secret", ""});
    clock.pass(1s);
    EXPECT_EQ(ask(), "pending");
    ended.acquire();
    EXPECT_EQ(ask(), "B");
}

TEST_F(CredentialCacheTest, ReadsKeysWithoutAnEndAgainAfterSomeMinutes) {
    will_find(credentials("A", std::nullopt));
    will_find(credentials("B", std::nullopt));
    (void)ask();
    ended.acquire();
    clock.pass(5min);
    EXPECT_EQ(ask(), "A");
    ended.acquire();
    EXPECT_EQ(ask(), "B");
}

}  // namespace
}  // namespace sundial::sqs
