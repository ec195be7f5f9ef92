#include "domain/lock.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/builders.hpp"

namespace sundial {
namespace {

Lock held_by(char who) {
    return {.name = "job",
            .fencing_token = FencingToken{7},
            .token_hash = std::string(32, who),
            .holder = "h",
            .acquired_at = noon,
            .expires_at = noon + 30s};
}

TEST(Lock, IsHeldToTheEndOfItsLeaseAndNotAtIt) {
    const Lock lock = held_by('a');
    EXPECT_TRUE(is_held(lock, noon + 30s - 1us));
    EXPECT_FALSE(is_held(lock, noon + 30s));
    EXPECT_FALSE(is_held({.name = "job"}, noon));
}

TEST(Lock, AFenceIsPassedByEqualAndGreaterTokensAndRaisedByGreaterOnesOnly) {
    const Lock fence{.name = "far", .fencing_token = FencingToken{7}};
    EXPECT_FALSE(pass(fence, FencingToken{6}).has_value());
    EXPECT_EQ(pass(fence, FencingToken{7}).value(), fence);
    EXPECT_EQ(pass(fence, FencingToken{8})->fencing_token, FencingToken{8});
    EXPECT_FALSE(raise(fence, FencingToken{6}).has_value());
    EXPECT_FALSE(raise(fence, FencingToken{7}).has_value());
    EXPECT_EQ(raise(fence, FencingToken{8})->fencing_token, FencingToken{8});
}

/// For any requests in any order, with any pauses: at most one holder can write, tokens rise, and
/// only the holder's release or renewal has an effect.
RC_GTEST_PROP(LockProperty, AtMostOneMayWriteAndTokensRise, ()) {
    Lock lock{.name = "job"};
    Instant now = noon;
    struct Holder {
        std::string hash;
        FencingToken token;
    };
    std::vector<Holder> all;
    const int steps = *rc::gen::inRange(1, 60);
    for (int step = 0; step < steps; ++step) {
        now += std::chrono::seconds{*rc::gen::inRange(0, 20)};
        const Lock before = lock;
        const int action = *rc::gen::inRange(0, 3);
        if (action == 0 || all.empty()) {
            const std::string hash = "hash " + std::to_string(step);
            const auto granted =
                grant(lock,
                      {.name = "job",
                       .holder = "h",
                       .token_hash = hash,
                       .ttl = 30s,
                       .floor = FencingToken{static_cast<std::uint64_t>(*rc::gen::inRange(0, 50))}},
                      now);
            RC_ASSERT(granted.has_value() == !is_held(before, now));
            if (!granted) continue;
            lock = *granted;
            RC_ASSERT(lock.fencing_token > before.fencing_token);
            all.push_back({hash, lock.fencing_token});
        } else {
            const Holder who = *rc::gen::elementOf(all);
            const auto answer =
                action == 1 ? renew(lock, who.hash, 30s, now) : release(lock, who.hash, now);
            RC_ASSERT(answer.has_value() ==
                      (is_held(before, now) && before.token_hash == who.hash));
            if (answer) lock = *answer;
            RC_ASSERT(lock.fencing_token == before.fencing_token);
        }
        const auto writers = std::ranges::count_if(
            all, [&](const Holder& who) { return admit(lock, who.token, now).has_value(); });
        RC_ASSERT(writers == (is_held(lock, now) ? 1 : 0));
    }
}

}  // namespace
}  // namespace sundial
