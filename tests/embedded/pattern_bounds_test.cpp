#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "sundial/cache.hpp"
#include "sundial/retry.hpp"
#include "sundial/session_lock.hpp"
#include "sundial/single_flight.hpp"
#include "support/bounds.hpp"
#include "support/manual_timing.hpp"
#include "support/postgres_cluster.hpp"

/// Issue 19, item 25: bounds of session locks, retries, budgets, caches and loads.
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using sundial::Done;
using sundial::Error;
using sundial::expect_answers;
using sundial::Extent;
using sundial::refused;
using sundial::Result;
using sundial::sized;
using sundial::Timing;
using sundial::word;

TEST(PatternBounds, OfSessionLocks) {
    const std::string url = sundial::PostgresCluster::shared().create_database();
    expect_answers({
        {"wait",
         [&](Extent t) {
             return word(sundial::SessionLock::acquire(url, "migrate",
                                                       sized<std::chrono::milliseconds>(t)));
         },
         {"ok", "ok", refused}},
        {"name",
         [&](Extent t) { return word(sundial::SessionLock::acquire(url, sized<std::string>(t))); },
         {refused, "ok", refused}},
    });
}

TEST(PatternBounds, OfRetries) {
    const auto retry = [](auto change, std::optional<microseconds> retry_after = {}) {
        sundial::ManualTiming timing;
        sundial::RetryRules rules{.max_attempts = 2};
        change(rules);
        sundial::RetryWhen<Error> when;
        if (retry_after) when.retry_after = [&](const Error&) { return retry_after; };
        int calls = 0;
        const auto answer = sundial::retry(
            rules,
            [&]() -> Result<Done> {
                if (++calls == 3) return Done{};
                return Error{"OPTIMISTIC_LOCK", ""};
            },
            when, timing);
        return std::to_string(calls) + " " + word(answer);
    };
    expect_answers({
        {"RetryRules.max_attempts",
         [&](Extent t) {
             return retry([&](auto& rules) { rules.max_attempts = sized<unsigned>(t); });
         },
         {"0 VALIDATION_FAILED", "1 OPTIMISTIC_LOCK", "3 ok"}},
        {"RetryRules.base and cap",
         [&](Extent t) {
             return retry([&](auto& rules) {
                 rules.base = rules.cap = sized<microseconds>(t);
                 rules.jitter = sundial::Jitter::none;
             });
         },
         {"2 OPTIMISTIC_LOCK", "2 OPTIMISTIC_LOCK", "1 OPTIMISTIC_LOCK"}},  // no clock goes so far
        {"RetryRules.cap, decorrelated",
         [&](Extent t) {
             return retry([&](auto& rules) {
                 rules.base = 0us;
                 rules.cap = sized<microseconds>(t);
                 rules.jitter = sundial::Jitter::decorrelated;
             });
         },
         {"2 OPTIMISTIC_LOCK", "2 OPTIMISTIC_LOCK", "2 OPTIMISTIC_LOCK"}},
        {"RetryRules.deadline",
         [&](Extent t) {
             return retry([&](auto& rules) { rules.deadline = sized<Timing::Moment>(t); });
         },
         {"1 OPTIMISTIC_LOCK", "1 OPTIMISTIC_LOCK", "2 OPTIMISTIC_LOCK"}},
        {"retry_after",
         [&](Extent t) { return retry([](auto&) {}, sized<microseconds>(t)); },
         {"2 OPTIMISTIC_LOCK", "2 OPTIMISTIC_LOCK", "1 OPTIMISTIC_LOCK"}},
        {"retry of retry_delay",
         [](Extent t) {
             const sundial::RetryRules rules{.jitter = sundial::Jitter::none};
             return std::to_string(
                 sundial::retry_delay(rules, sized<unsigned>(t), 0us, 0.5).count());
         },
         {"5000", "10000", "250000"}},
        {"previous of retry_delay",
         [](Extent t) {
             const sundial::RetryRules rules{.base = 0us, .jitter = sundial::Jitter::decorrelated};
             return std::to_string(
                 sundial::retry_delay(rules, 0, sized<microseconds>(t), 0.5).count());
         },
         {"0", "1", "125000"}},
    });
    EXPECT_EQ(retry([](auto& rules) { rules.deadline = Timing::Moment::min(); }),
              "1 OPTIMISTIC_LOCK");
    EXPECT_EQ(retry([](auto&) {}, microseconds::min()), "2 OPTIMISTIC_LOCK");
}

TEST(PatternBounds, OfRetryBudgets) {
    const auto allowed = [](const sundial::RetryBudget::Settings& settings) {
        sundial::RetryBudget budget{settings};
        for (int i = 0; i < 5; ++i) budget.first_call();
        int taken = 0;
        while (taken < 1000 && budget.take(Timing::Moment{})) ++taken;
        return std::to_string(taken);
    };
    expect_answers({
        {"per_call",
         [&](Extent t) { return allowed({.per_call = sized<double>(t), .floor_per_second = 0.0}); },
         {"0", "5", "100"}},
        {"floor_per_second",
         [&](Extent t) { return allowed({.per_call = 0.0, .floor_per_second = sized<double>(t)}); },
         {"0", "1", "1000"}},
        {"max_tokens",
         [&](Extent t) {
             return allowed({.floor_per_second = 0.0, .max_tokens = sized<double>(t)});
         },
         {"0", "1", "1"}},
    });
    EXPECT_EQ(allowed({.per_call = -1.0, .floor_per_second = -1.0, .max_tokens = -1.0}), "0");
    EXPECT_EQ(
        allowed({.per_call = std::numeric_limits<double>::quiet_NaN(), .floor_per_second = 0.0}),
        "0");
}

TEST(PatternBounds, OfCaches) {
    using Cache = sundial::Cache<int, int>;
    // How many loads three readers bring about, a second after each other.
    const auto loads = [](auto change) {
        sundial::ManualTiming timing;
        timing.fixed_unit = 0.9;
        sundial::CacheRules rules{.early_refresh = 0.0};
        change(rules);
        Cache cache{rules,
                    [](int, const std::stop_token&) -> Cache::Loaded { return std::optional{1}; },
                    timing, [](const std::function<void()>& work) { work(); }};
        for (int i = 0; i < 3; ++i) {
            const auto answer = cache.get(1);
            if (!answer) return answer.error().code;
            EXPECT_EQ(**answer, 1);
            timing.advance(1s);
        }
        return std::to_string(cache.counts().loads);
    };
    const auto absent = [](microseconds negative_ttl) {
        sundial::ManualTiming timing;
        Cache cache{
            {.negative_ttl = negative_ttl},
            [](int, const std::stop_token&) -> Cache::Loaded { return std::optional<int>{}; },
            timing};
        for (int i = 0; i < 3; ++i) {
            EXPECT_FALSE(*cache.get(1));
            timing.advance(1s);
        }
        return std::to_string(cache.counts().loads);
    };
    expect_answers({
        {"CacheRules.ttl",
         [&](Extent t) { return loads([&](auto& rules) { rules.ttl = sized<microseconds>(t); }); },
         {refused, "3", "1"}},
        {"CacheRules.ttl_jitter",
         [&](Extent t) { return loads([&](auto& rules) { rules.ttl_jitter = sized<double>(t); }); },
         {"1", refused, refused}},
        {"CacheRules.stale_while_revalidate",
         [&](Extent t) {
             return loads([&](auto& rules) {
                 rules.ttl = 1us;
                 rules.stale_while_revalidate = sized<microseconds>(t);
             });
         },
         {"3", "3", "3"}},
        {"CacheRules.stale_if_error",
         [&](Extent t) {
             return loads([&](auto& rules) { rules.stale_if_error = sized<microseconds>(t); });
         },
         {"1", "1", "1"}},
        {"CacheRules.negative_ttl",
         [&](Extent t) { return absent(sized<microseconds>(t)); },
         {"3", "3", "1"}},
        {"CacheRules.early_refresh",
         [&](Extent t) {
             return loads([&](auto& rules) { rules.early_refresh = sized<double>(t); });
         },
         {"1", "1", "1"}},  // a load that takes no time is never early
        {"CacheRules.max_entries",
         [&](Extent t) {
             return loads([&](auto& rules) { rules.max_entries = sized<std::size_t>(t); });
         },
         {refused, "1", "1"}},
        {"CacheRules.most_refreshes",
         [&](Extent t) {
             return loads([&](auto& rules) {
                 rules.ttl = 1us;
                 rules.stale_while_revalidate = 1h;
                 rules.max_refreshes = sized<std::size_t>(t);
             });
         },
         {"1", "3", "3"}},
        {"deadline of get",
         [](Extent t) {
             Cache cache{{}, [](int, const std::stop_token& stop) -> Cache::Loaded {
                             while (!stop.stop_requested()) std::this_thread::yield();
                             return Error{"STOPPED", ""};
                         }};
             if (t == Extent::greatest) return std::string{"waits"};
             return word(cache.get(1, {}, sized<Timing::Moment>(t)));
         },
         {"REQUEST_TIMEOUT", "REQUEST_TIMEOUT", "waits"}},
        {"deadline of SingleFlight::run",
         [](Extent t) {
             sundial::SingleFlight<int, int> flights;
             return word(flights.run(
                 1,
                 [&](const std::stop_token& stop) -> Result<int> {
                     while (t != Extent::greatest && !stop.stop_requested()) {
                         std::this_thread::yield();
                     }
                     return 1;
                 },
                 {}, sized<Timing::Moment>(t)));
         },
         {"REQUEST_TIMEOUT", "REQUEST_TIMEOUT", "ok"}},
    });
}

/// Another process loads, and it is there at the second look.
TEST(PatternBounds, OfLoadsAcrossProcesses) {
    using Cache = sundial::Cache<int, int>;
    class Elsewhere final : public sundial::LoadLeases {
    public:
        std::optional<std::string> try_acquire(const std::string&, microseconds) override {
            return std::nullopt;
        }
        void release(const std::string&, const std::string&) override {}
    };
    expect_answers({
        {"AcrossProcesses.poll",
         [](Extent t) {
             sundial::ManualTiming timing;
             Elsewhere leases;
             int polls = 0;
             const auto load = sundial::once_across_processes<int, int>(
                 {.leases = leases,
                  .name = [](int) { return std::string{"k"}; },
                  .find = [&](int) -> Cache::Loaded {
                      if (++polls < 2) return std::optional<int>{};
                      return std::optional{7};
                  },
                  .keep = [](int, int) {},
                  .poll = sized<microseconds>(t)},
                 [](int, const std::stop_token&) -> Cache::Loaded { return std::optional{0}; },
                 timing);
             const auto loaded = load(1, {});
             for (const auto slept : timing.sleeps) EXPECT_GE(slept, 1ms);
             return loaded ? std::to_string(**loaded) : loaded.error().code;
         },
         {"7", "7", "7"}},
    });
}

}  // namespace
