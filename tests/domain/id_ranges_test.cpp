#include "domain/id_ranges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <set>

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();

using Intervals = std::vector<IdInterval>;

Intervals changed(Intervals ranges, const std::vector<std::int64_t>& ids) {
    const RangeChanges changes = with_ids(ranges, ids);
    for (const std::int64_t first : changes.removed) {
        EXPECT_EQ(std::erase_if(ranges, [&](const IdInterval& one) { return one.first == first; }),
                  1U);
    }
    ranges.insert(ranges.end(), changes.added.begin(), changes.added.end());
    std::ranges::sort(ranges, {}, &IdInterval::first);
    return ranges;
}

TEST(IdRanges, HaveGapsBetweenThem) {
    const Intervals ranges{{1, 4}, {7, 7}, {9, 12}};
    EXPECT_THAT(gaps_in(ranges, {least, greatest}),
                ElementsAre(IdInterval{least, 0}, IdInterval{5, 6}, IdInterval{8, 8},
                            IdInterval{13, greatest}));
    EXPECT_THAT(gaps_in(ranges, {1, 12}), ElementsAre(IdInterval{5, 6}, IdInterval{8, 8}));
    EXPECT_THAT(gaps_in(ranges, {2, 5}), ElementsAre(IdInterval{5, 5}));
    EXPECT_THAT(gaps_in(ranges, {2, 3}), IsEmpty());
    EXPECT_THAT(gaps_in({}, {3, 3}), ElementsAre(IdInterval{3, 3}));
}

TEST(IdRanges, MayReachBothEnds) {
    EXPECT_THAT(gaps_in(Intervals{{least, 0}, {5, greatest}}, {least, greatest}),
                ElementsAre(IdInterval{1, 4}));
    EXPECT_THAT(changed({{least, 0}, {2, greatest}}, {1}),
                ElementsAre(IdInterval{least, greatest}));
    EXPECT_EQ(id_before(least), least);
    EXPECT_EQ(id_behind(greatest), greatest);
}

TEST(IdRanges, MergeWithNewNeighbours) {
    EXPECT_THAT(changed({}, {3}), ElementsAre(IdInterval{3, 3}));
    EXPECT_THAT(changed({{1, 2}}, {3, 4, 6}), ElementsAre(IdInterval{1, 4}, IdInterval{6, 6}));
    EXPECT_THAT(changed({{1, 2}, {4, 9}}, {3}), ElementsAre(IdInterval{1, 9}));
    EXPECT_THAT(changed({{4, 9}}, {3}), ElementsAre(IdInterval{3, 9}));
}

TEST(IdRanges, LeaveUntouchedOnesAlone) {
    const RangeChanges changes = with_ids(Intervals{{1, 2}, {8, 9}}, std::vector<std::int64_t>{5});
    EXPECT_THAT(changes.removed, IsEmpty());
    EXPECT_THAT(changes.added, ElementsAre(IdInterval{5, 5}));
}

TEST(IdRanges, AreTheSetOfAllIdsEverAdded) {
    std::mt19937 random{7};
    Intervals ranges;
    std::set<std::int64_t> all;
    for (int round = 0; round < 200; ++round) {
        std::set<std::int64_t> fresh;
        for (int i = 0; i < 5; ++i) {
            const auto id = static_cast<std::int64_t>(random() % 400);
            if (!all.contains(id)) fresh.insert(id);
        }
        if (fresh.empty()) continue;
        ranges = changed(ranges, {fresh.begin(), fresh.end()});
        all.insert(fresh.begin(), fresh.end());
        std::int64_t behind = least;
        for (const IdInterval& range : ranges) {
            ASSERT_GT(range.first, behind) << "adjacent to the range before";
            behind = range.last + 1;
        }
        for (std::int64_t id = -1; id <= 400; ++id) {
            ASSERT_EQ(has_id(ranges, id), all.contains(id)) << id;
        }
    }
}

}  // namespace
}  // namespace sundial
