#include "domain/time/zone.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "domain/time/text.hpp"
#include "support/fake_zone.hpp"
#include "support/instants.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

std::chrono::sys_seconds second(std::string_view text) {
    return std::chrono::floor<std::chrono::seconds>(at(text));
}

const Instant from = at("2026-09-01T00:00:00Z");

FakeZone zone(std::vector<FakeZone::Change> changes, std::chrono::seconds offset = 0s,
              std::string name = "Africa/Casablanca") {
    return FakeZone(std::move(name), offset, std::move(changes));
}

TEST(Fingerprint, IsOfTheClockAndNotOfTheName) {
    EXPECT_EQ(fingerprint(zone({}, 1h), from), fingerprint(zone({}, 1h, "Some/Link"), from));
}

TEST(Fingerprint, DependsOnTheOffset) {
    EXPECT_NE(fingerprint(zone({}, 1h), from), fingerprint(zone({}, 2h), from));
}

TEST(Fingerprint, DependsOnFutureChanges) {
    const auto morocco = zone({{second("2026-09-20T02:00:00Z"), 0s}}, 1h);
    EXPECT_NE(fingerprint(morocco, from), fingerprint(zone({}, 1h), from));
    EXPECT_NE(fingerprint(morocco, from),
              fingerprint(zone({{second("2026-09-21T02:00:00Z"), 0s}}, 1h), from));
    EXPECT_NE(fingerprint(morocco, from),
              fingerprint(zone({{second("2026-09-20T02:00:00Z"), 1800s}}, 1h), from));
}

TEST(Fingerprint, IgnoresPastChanges) {
    const auto encoded_differently = zone({{second("2026-08-31T23:59:59Z"), 1h}}, 5h);
    EXPECT_EQ(fingerprint(encoded_differently, from), fingerprint(zone({}, 1h), from));
    const auto at_the_moment = zone({{second("2026-09-01T00:00:00Z"), 1h}}, 5h);
    EXPECT_EQ(fingerprint(at_the_moment, from), fingerprint(zone({}, 1h), from));
}

TEST(Fingerprint, SeesAsFarAsItReaches) {
    const auto last = std::chrono::floor<std::chrono::seconds>(from + fingerprint_reach);
    EXPECT_NE(fingerprint(zone({{last, 1h}}), from), fingerprint(zone({}), from));
    EXPECT_EQ(fingerprint(zone({{last + 1s, 1h}}), from), fingerprint(zone({}), from));
}

TEST(Fingerprint, StaysTheSameFromReleaseToRelease) {
    // Databases store fingerprints: another value would move every event once.
    EXPECT_EQ(fingerprint(new_york(), at("2026-01-01T00:00:00Z")).value, 0xf0a4c8ef79945cfeU);
}

TEST(FirstDifference, IsTheFirstInstantOfAnotherOffset) {
    const auto morocco = zone({{second("2026-09-20T02:00:00Z"), 0s}}, 1h);
    const Instant end = at("2030-01-01T00:00:00Z");
    EXPECT_EQ(first_difference(morocco, zone({}, 1h), from, end), at("2026-09-20T02:00:00Z"));
    EXPECT_EQ(first_difference(zone({}, 1h), morocco, from, end), at("2026-09-20T02:00:00Z"));
    EXPECT_EQ(first_difference(morocco, morocco, from, end), std::nullopt);
    EXPECT_EQ(first_difference(morocco, zone({}, 0s), from, end), from);
    EXPECT_EQ(first_difference(morocco, zone({}, 1h), from, at("2026-09-20T02:00:00Z")),
              std::nullopt);
}

/// Random clocks that change at most every hour, so that two of them are often equal.
FakeZone any_zone() {
    std::vector<FakeZone::Change> changes;
    auto when = std::chrono::floor<std::chrono::seconds>(from);
    const int count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) {
        when += std::chrono::hours{*rc::gen::inRange(1, 4)};
        changes.push_back({when, std::chrono::hours{*rc::gen::inRange(0, 2)}});
    }
    // A change to the same offset is not a change.
    std::chrono::seconds before{0};
    std::vector<FakeZone::Change> real;
    for (const auto& change : changes) {
        if (change.offset != before) real.push_back(change);
        before = change.offset;
    }
    return zone(real);
}

RC_GTEST_PROP(Fingerprint, IsEqualWhereTheClocksNeverDiffer, ()) {
    const FakeZone a = any_zone();
    const FakeZone b = any_zone();
    const bool differ = first_difference(a, b, from, from + fingerprint_reach).has_value();
    RC_ASSERT((fingerprint(a, from) != fingerprint(b, from)) == differ);
    bool seen = false;  // the simple algorithm
    for (Instant t = from; t < from + 24h; t += 30min) {
        seen = seen || a.offset_at(t) != b.offset_at(t);
    }
    RC_ASSERT(seen == differ);
}

TEST(OlderRelease, GoesByYearAndLetter) {
    EXPECT_TRUE(is_older_release("2025b", "2026f"));
    EXPECT_TRUE(is_older_release("2025b", "2025c"));
    EXPECT_TRUE(is_older_release("2031z", "2031za"));
    EXPECT_TRUE(is_older_release("2031za", "2032a"));
    EXPECT_FALSE(is_older_release("2026f", "2025b"));
    EXPECT_FALSE(is_older_release("2025b", "2025b"));
    EXPECT_FALSE(is_older_release("unknown", "2025b")) << "who knows";
    EXPECT_FALSE(is_older_release("2025b", "unknown"));
    EXPECT_FALSE(is_older_release("2025", "2026f"));
    EXPECT_FALSE(is_older_release("2025-patched", "2026f"));
}

}  // namespace
}  // namespace sundial
