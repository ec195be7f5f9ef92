#include "sundial/cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/manual_timing.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using embedding::Error;
using testing::ElementsAre;
using testing::IsEmpty;
using Reports = Cache<std::string, std::string>;
using Loaded = Reports::Loaded;

const std::string key = "acme/report";

/// A cache on a clock that stands still; its refreshes run when the test says so. It loads "1", "2"
/// and so on, unless the test sets something else.
class CacheTest : public testing::Test {
protected:
    Reports made(const CacheRules& rules) {
        return {rules,
                [this](const std::string& asked, const std::stop_token&) -> Loaded {
                    loads.push_back(asked);
                    const auto number = std::to_string(loads.size());
                    if (during_load) during_load();
                    if (failure) return *failure;
                    if (absent) return std::optional<std::string>{};
                    return std::optional{number};
                },
                timing,
                [this](std::function<void()> work) { launched.push_back(std::move(work)); }};
    }
    void run_refreshes() {
        for (const auto& work : std::exchange(launched, {})) work();
    }
    static std::string text_of(const Reports::Answer& answer) {
        if (!answer) return answer.error().code;
        return *answer ? **answer : "absent";
    }

    ManualTiming timing;
    std::vector<std::string> loads;
    std::vector<std::function<void()>> launched;
    std::function<void()> during_load;
    std::optional<Error> failure;
    bool absent = false;
};

/// Without random expiry and early refreshes.
CacheRules plain() { return {.ttl = 60s, .ttl_jitter = 0, .early_refresh = 0}; }

TEST_F(CacheTest, LoadsOnceForTheLengthOfItsTtl) {
    auto cache = made(plain());
    EXPECT_EQ(text_of(cache.get(key)), "1");
    timing.advance(60s - 1us);
    EXPECT_EQ(text_of(cache.get(key)), "1");
    timing.advance(1us);
    EXPECT_EQ(text_of(cache.get(key)), "2");
    EXPECT_EQ(cache.counts().hits, 1U);
    EXPECT_EQ(cache.counts().misses, 2U);
}

TEST_F(CacheTest, AllHitsGetTheSameObject) {
    auto cache = made(plain());
    const auto first = cache.get(key);
    EXPECT_EQ(first->get(), cache.get(key)->get());
}

/// A key that calls `hook` when it is copied next.
struct KeyWithHook {
    explicit KeyWithHook(std::function<void()>& hook) : when_copied{&hook} {}
    KeyWithHook(const KeyWithHook& other) : when_copied{other.when_copied} {
        if (*when_copied) std::exchange(*when_copied, nullptr)();
    }
    KeyWithHook& operator=(const KeyWithHook&) = delete;
    ~KeyWithHook() = default;
    bool operator<(const KeyWithHook&) const { return false; }
    bool operator==(const KeyWithHook&) const { return true; }

    std::function<void()>* when_copied;
};

TEST_F(CacheTest, SF01_AValueLoadedMeanwhileIsNotLoadedAgain) {
    int computed = 0;
    Cache<KeyWithHook, int> cache{
        plain(),
        [&](const KeyWithHook&, const std::stop_token&) { return std::optional{++computed}; },
        timing};
    std::function<void()> hook;
    const KeyWithHook report{hook};
    // The reader copies the key into its load after it has found nothing.
    hook = [&] { EXPECT_EQ(**cache.get(report), 1); };
    const auto late = cache.get(report);
    EXPECT_FALSE(hook) << "no other reader came in between";
    EXPECT_EQ(**late, 1);
    EXPECT_EQ(computed, 1);
}

TEST_F(CacheTest, SF02_AnotherTenantHasItsOwnValue) {
    auto cache = made(plain());
    EXPECT_EQ(text_of(cache.get("acme/report")), "1");
    EXPECT_EQ(text_of(cache.get("other/report")), "2");
    EXPECT_EQ(text_of(cache.get("acme/report")), "1");
}

TEST_F(CacheTest, SF03_AnErrorIsNotKept) {
    auto cache = made(plain());
    failure = Error{"STORAGE_UNAVAILABLE", "no connection"};
    EXPECT_EQ(text_of(cache.get(key)), "STORAGE_UNAVAILABLE");
    failure.reset();
    EXPECT_EQ(text_of(cache.get(key)), "2");
    EXPECT_EQ(cache.counts().failures, 1U);
}

TEST_F(CacheTest, SF07_AValueInvalidatedDuringItsLoadIsNotKept) {
    auto cache = made(plain());
    during_load = [&] { cache.invalidate(key); };
    EXPECT_EQ(text_of(cache.get(key)), "1");
    during_load = nullptr;
    EXPECT_EQ(text_of(cache.get(key)), "2");
    EXPECT_EQ(text_of(cache.get(key)), "2");
}

TEST_F(CacheTest, SF07_AnOldLoadThatEndsLateDoesNotReplaceTheNewValue) {
    auto cache = made(plain());
    during_load = [&] {
        during_load = nullptr;
        cache.invalidate(key);
        std::thread{[&] { EXPECT_EQ(text_of(cache.get(key)), "2"); }}.join();
    };
    EXPECT_EQ(text_of(cache.get(key)), "1");
    EXPECT_EQ(text_of(cache.get(key)), "2");
}

TEST_F(CacheTest, SF08_PastItsTtlTheOldValueIsAnsweredAtOnceAndOneRefreshBegun) {
    auto rules = plain();
    rules.stale_while_revalidate = 30s;
    auto cache = made(rules);
    (void)cache.get(key);
    timing.advance(60s);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(text_of(cache.get(key)), "1");
    EXPECT_EQ(launched.size(), 1U);
    EXPECT_EQ(cache.counts().stale, 10U);
    run_refreshes();
    EXPECT_EQ(text_of(cache.get(key)), "2");
    EXPECT_THAT(launched, IsEmpty());
}

TEST_F(CacheTest, SF08_AFailedRefreshServesTheStaleValueUntilItExpires) {
    auto rules = plain();
    rules.stale_while_revalidate = 30s;
    rules.stale_if_error = 10min;
    auto cache = made(rules);
    (void)cache.get(key);
    failure = Error{"STORAGE_UNAVAILABLE", "no connection"};

    timing.advance(60s);
    EXPECT_EQ(text_of(cache.get(key)), "1");
    run_refreshes();
    EXPECT_EQ(text_of(cache.get(key)), "1") << "the failed refresh has taken nothing away";
    run_refreshes();
    timing.advance(30s);  // the stale window has ended
    EXPECT_EQ(text_of(cache.get(key)), "1");
    EXPECT_EQ(cache.counts().failures, 3U);
    timing.advance(9min + 30s);
    EXPECT_EQ(text_of(cache.get(key)), "STORAGE_UNAVAILABLE");
    failure.reset();
    EXPECT_EQ(text_of(cache.get(key)), "6");
}

TEST_F(CacheTest, SF09_AbsenceIsCachedForTheNegativeTtl) {
    auto rules = plain();
    rules.negative_ttl = 5s;
    rules.stale_while_revalidate = rules.stale_if_error = 10min;
    auto cache = made(rules);
    absent = true;
    EXPECT_EQ(text_of(cache.get(key)), "absent");
    absent = false;
    timing.advance(5s - 1us);
    EXPECT_EQ(text_of(cache.get(key)), "absent");
    timing.advance(1us);
    EXPECT_EQ(text_of(cache.get(key)), "2");
}

TEST_F(CacheTest, SF09_AbsenceIsNotCachedWithoutANegativeTtl) {
    auto rules = plain();
    rules.stale_if_error = 1h;
    auto cache = made(rules);
    EXPECT_EQ(text_of(cache.get(key)), "1");
    absent = true;
    timing.advance(60s);
    EXPECT_EQ(text_of(cache.get(key)), "absent");
    failure = Error{"STORAGE_UNAVAILABLE", "no connection"};
    EXPECT_EQ(text_of(cache.get(key)), "STORAGE_UNAVAILABLE");
}

/// Reads arrive at rate λ. A read with `remaining` r refreshes with probability e^(−r/βδ). So the
/// first refresh falls where P(R ≤ r) = exp(−λβδ · e^(−r/βδ)): Gumbel's distribution, with mean
/// βδ·(ln(λβδ) + γ) and deviation π·βδ/√6. No read refreshes before the end with probability
/// e^(−λβδ), which is e^−200 here.
TEST_F(CacheTest, SF10_ReadersNearTheEndRefreshEarlyByTheFormulaWithoutWaiting) {
    constexpr int periods = 200;
    constexpr auto load_takes = 20ms;
    constexpr auto between_reads = 100us;  // 10,000 reads a second
    constexpr auto ttl = 1s;
    auto rules = plain();
    rules.ttl = ttl;
    rules.early_refresh = 1.0;
    auto cache = made(rules);
    during_load = [&] { timing.advance(load_takes); };
    (void)cache.get(key);

    double remaining_sum = 0;  // in ms
    for (int period = 0; period < periods; ++period) {
        const auto end = timing.now() + ttl;
        timing.advance(ttl - 20 * load_takes);  // earlier, hardly any reader refreshes: e^−20
        while (launched.empty() && timing.now() < end) {
            (void)cache.get(key);
            timing.advance(between_reads);
        }
        remaining_sum += std::chrono::duration<double, std::milli>(end - timing.now()).count();
        (void)cache.get(key);
        EXPECT_EQ(launched.size(), 1U) << "a value is refreshed once at a time";
        run_refreshes();
    }

    EXPECT_EQ(cache.counts().early_refreshes, unsigned{periods}) << "one for each period";
    EXPECT_EQ(cache.counts().misses, 1U) << "no burst at the end: no later reader waits";
    const double spread = 20.0;  // βδ in ms
    const double reads = 10.0 * spread;
    const double mean = spread * (std::log(reads) + std::numbers::egamma);
    const double deviation = std::numbers::pi * spread / std::sqrt(6.0) / std::sqrt(periods);
    EXPECT_NEAR(remaining_sum / periods, mean, 4 * deviation);
}

TEST_F(CacheTest, ValuesLoadedTogetherExpireAtDifferentTimes) {
    auto rules = plain();
    rules.ttl_jitter = 0.1;
    auto cache = made(rules);
    constexpr int values = 1'000;
    for (int i = 0; i < values; ++i) (void)cache.get(std::to_string(i));
    const auto good = [&] {
        const auto before = cache.counts().hits;
        for (int i = 0; i < values; ++i) (void)cache.get(std::to_string(i));
        return cache.counts().hits - before;
    };
    timing.advance(54s - 1us);
    EXPECT_EQ(good(), 1'000U);
    timing.advance(6s);
    EXPECT_NEAR(static_cast<double>(good()), 500, 65) << "four deviations of 1,000 coins";
}

TEST_F(CacheTest, EvictsTheLeastRecentlyUsedValueAtItsBound) {
    auto rules = plain();
    rules.max_entries = 3;
    auto cache = made(rules);
    for (const char* name : {"a", "b", "c"}) (void)cache.get(name);
    (void)cache.get("a");
    (void)cache.get("d");
    EXPECT_EQ(cache.size(), 3U);
    EXPECT_EQ(cache.counts().evictions, 1U);
    loads.clear();
    for (const char* name : {"a", "c", "d"}) (void)cache.get(name);
    EXPECT_THAT(loads, IsEmpty());
    (void)cache.get("b");
    EXPECT_THAT(loads, ElementsAre("b"));
}

TEST_F(CacheTest, RefreshesNoMoreAtOnceThanItsBound) {
    auto rules = plain();
    rules.stale_while_revalidate = 30s;
    rules.max_refreshes = 2;
    auto cache = made(rules);
    for (const char* name : {"a", "b", "c"}) (void)cache.get(name);
    timing.advance(60s);
    for (const char* name : {"a", "b", "c"}) (void)cache.get(name);
    EXPECT_EQ(launched.size(), 2U);
    run_refreshes();
    (void)cache.get("c");
    EXPECT_EQ(launched.size(), 1U);
    run_refreshes();
}

TEST_F(CacheTest, ARefreshThatCannotBeBegunIsBegunByALaterReader) {
    auto rules = plain();
    rules.stale_while_revalidate = 30s;
    bool no_thread = true;
    Reports cache{rules,
                  [this](const std::string& asked, const std::stop_token&) -> Loaded {
                      loads.push_back(asked);
                      return std::optional{std::to_string(loads.size())};
                  },
                  timing,
                  [&](const std::function<void()>& work) {
                      if (no_thread) throw std::runtime_error{"no thread"};
                      work();
                  }};
    (void)cache.get(key);
    timing.advance(60s);
    EXPECT_EQ(text_of(cache.get(key)), "1");
    no_thread = false;
    EXPECT_EQ(text_of(cache.get(key)), "1");
    EXPECT_EQ(text_of(cache.get(key)), "2");
}

TEST_F(CacheTest, ALoaderThatThrowsIsAFailure) {
    auto cache = made(plain());
    during_load = [] { throw std::runtime_error{"broken"}; };
    EXPECT_EQ(text_of(cache.get(key)), "INTERNAL_ERROR");
    EXPECT_EQ(cache.counts().failures, 1U);
    during_load = [] { throw 42; };
    EXPECT_EQ(text_of(cache.get(key)), "INTERNAL_ERROR");
    EXPECT_EQ(cache.counts().failures, 2U);
    during_load = [] {};
    EXPECT_NE(text_of(cache.get(key)), "INTERNAL_ERROR");
}

TEST(CacheRulesTest, ReportInvalidRules) {
    EXPECT_FALSE(defect_of(CacheRules{}));
    for (const CacheRules& rules :
         {CacheRules{.ttl = 0s}, CacheRules{.ttl_jitter = 1.0}, CacheRules{.ttl_jitter = -0.1},
          CacheRules{.stale_while_revalidate = -1us}, CacheRules{.stale_if_error = -1us},
          CacheRules{.negative_ttl = -1us}, CacheRules{.early_refresh = -1.0},
          CacheRules{.max_entries = 0}}) {
        EXPECT_TRUE(defect_of(rules));
    }
}

/// Leases of a lock server, on the test's clock.
class FakeLeases final : public LoadLeases {
public:
    explicit FakeLeases(Timing& timing) : timing_{timing} {}
    std::optional<std::string> try_acquire(const std::string& name,
                                           std::chrono::microseconds ttl) override {
        Lease& lease = leases_[name];
        if (timing_.now() < lease.until) return std::nullopt;
        lease = {timing_.now() + ttl, std::to_string(++granted)};
        return lease.token;
    }
    void release(const std::string& name, const std::string& token) override {
        if (leases_[name].token == token) leases_[name].until = timing_.now();
    }
    int granted = 0;

private:
    struct Lease {
        Timing::Moment until;
        std::string token;
    };
    Timing& timing_;
    std::map<std::string, Lease> leases_;
};

class AcrossProcessesTest : public CacheTest {
protected:
    Loaded load(const std::stop_token& stop = {}) {
        const AcrossProcesses<std::string, std::string> shared{
            .leases = leases,
            .name = [](const std::string& asked) { return "cache:" + asked; },
            .find = [this](const std::string&) { return Loaded{place}; },
            .keep = [this](const std::string&, const std::string& value) { place = value; },
            .lease = 5s,
            .poll = 100ms};
        const auto loader = once_across_processes<std::string, std::string>(
            shared,
            [this](const std::string& asked, const std::stop_token&) -> Loaded {
                loads.push_back(asked);
                return std::optional{std::string{"fresh"}};
            },
            timing);
        return loader(key, stop);
    }
    /// The loaded value, or the error.
    std::string loaded() {
        const Loaded answer = load();
        if (!answer) return answer.error().code;
        return (*answer).value_or("absent");
    }
    FakeLeases leases{timing};
    std::optional<std::string> place;
};

TEST_F(AcrossProcessesTest, SF11_OneProcessLoadsAndTheOthersFindIt) {
    EXPECT_EQ(loaded(), "fresh");
    EXPECT_EQ(loaded(), "fresh");
    EXPECT_THAT(loads, ElementsAre(key));
}

TEST_F(AcrossProcessesTest, SF11_WhileAnotherOneLoadsItWaitsForTheValue) {
    const auto other = leases.try_acquire("cache:" + key, 5s);
    timing.before_sleep = [&] {
        if (timing.sleeps.size() == 3) place = "from the other";
    };
    EXPECT_EQ(loaded(), "from the other");
    EXPECT_THAT(loads, IsEmpty());
    EXPECT_THAT(timing.sleeps, ElementsAre(100ms, 100ms, 100ms));
}

TEST_F(AcrossProcessesTest, SF11_AfterTheLeaseOfOneThatDiedItLoadsItself) {
    const auto dead = leases.try_acquire("cache:" + key, 5s);
    const auto begun = timing.now();
    EXPECT_EQ(loaded(), "fresh");
    EXPECT_LE(timing.now() - begun, 5s + 100ms);
    EXPECT_THAT(loads, ElementsAre(key));
}

TEST_F(AcrossProcessesTest, AStopEndsItsWait) {
    const auto other = leases.try_acquire("cache:" + key, 5s);
    std::stop_source stop;
    timing.before_sleep = [&] { stop.request_stop(); };
    EXPECT_EQ(load(stop.get_token()).error().code, "STOPPED");
}

}  // namespace
}  // namespace sundial
