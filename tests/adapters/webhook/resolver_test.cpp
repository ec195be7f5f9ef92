#include "adapters/webhook/resolver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <semaphore>

namespace sundial::webhook {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class SetClock final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override { return time; }
    std::atomic<std::chrono::microseconds> time{1000s};
};

/// Resolves names from `zone`; `woken` counts wake-ups.
class ResolverTest : public testing::Test {
protected:
    static Address address(std::string_view text) { return parse_address(text).value(); }
    /// The final result.
    Resolution resolve(const std::string& host) {
        for (;;) {
            if (auto found = resolver.ask(host)) return *found;
            woken.acquire();
        }
    }

    std::mutex mutex;
    Resolution zone{{address("1.1.1.1")}, ""};
    std::atomic<int> lookups{0};
    std::counting_semaphore<> woken{0};
    SetClock clock;
    Resolver resolver{clock, [this] { woken.release(); },
                      [this](const std::string& /*host*/) {
                          ++lookups;
                          const std::lock_guard lock(mutex);
                          return zone;
                      }};
};

TEST_F(ResolverTest, KnowsANameForThirtySecondsAndNoLonger) {
    EXPECT_THAT(resolve("a.example").addresses, ElementsAre(address("1.1.1.1")));
    {
        const std::lock_guard lock(mutex);
        zone.addresses = {address("127.0.0.1")};
    }
    clock.time = clock.time.load() + 30s - 1us;
    EXPECT_THAT(resolve("a.example").addresses, ElementsAre(address("1.1.1.1")));
    EXPECT_EQ(lookups, 1);
    clock.time = clock.time.load() + 1us;
    EXPECT_THAT(resolve("a.example").addresses, ElementsAre(address("127.0.0.1")));
    EXPECT_EQ(lookups, 2);
}

TEST_F(ResolverTest, AFailureIsAskedAboutAgainAfterASecond) {
    {
        const std::lock_guard lock(mutex);
        zone = {{}, "no such name"};
    }
    EXPECT_EQ(resolve("a.example").failure, "no such name");
    EXPECT_THAT(resolve("a.example").addresses, IsEmpty());
    EXPECT_EQ(lookups, 1);
    clock.time = clock.time.load() + 1s;
    EXPECT_EQ(resolve("a.example").failure, "no such name");
    EXPECT_EQ(lookups, 2);
}

TEST(Resolver, ResolvesANameOnceForAllCallersAndOtherNamesConcurrently) {
    SetClock clock;
    std::atomic<int> lookups{0};
    std::counting_semaphore<> woken{0};
    std::promise<void> go_on;
    const auto waiting = go_on.get_future().share();
    Resolver resolver(
        clock, [&] { woken.release(); },
        [&lookups, waiting](const std::string& host) {
            ++lookups;
            if (host == "slow.example") waiting.wait();
            return Resolution{{parse_address("1.1.1.1").value()}, ""};
        });
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(resolver.ask("slow.example"));
    EXPECT_FALSE(resolver.ask("quick.example"));
    woken.acquire();
    EXPECT_TRUE(resolver.ask("quick.example"));
    EXPECT_FALSE(resolver.ask("slow.example"));
    go_on.set_value();
    woken.acquire();
    EXPECT_TRUE(resolver.ask("slow.example"));
    EXPECT_EQ(lookups, 2);
}

TEST(Resolver, EndsWithoutWaitingForALookupThatHangs) {
    SetClock clock;
    auto go_on = std::make_shared<std::promise<void>>();
    auto begun = std::make_shared<std::promise<void>>();
    const auto waiting = go_on->get_future().share();
    {
        Resolver resolver(
            clock, [] { FAIL() << "woken after its end"; },
            [waiting, begun](const std::string& /*host*/) {
                begun->set_value();
                waiting.wait();
                return Resolution{};
            });
        EXPECT_FALSE(resolver.ask("slow.example"));
        begun->get_future().wait();
    }
    go_on->set_value();
}

TEST(Resolver, AsksTheSystemForBothFamilies) {
    EXPECT_THAT(Resolver::ask_system("localhost").addresses,
                Contains(parse_address("127.0.0.1").value()));
    const Resolution unresolved = Resolver::ask_system("nobody.invalid");
    EXPECT_THAT(unresolved.addresses, IsEmpty());
    EXPECT_FALSE(unresolved.failure.empty());
}

}  // namespace
}  // namespace sundial::webhook
