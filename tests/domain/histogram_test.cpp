#include "domain/histogram.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace sundial {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

TEST(Histogram, IsEmptyAtFirst) {
    EXPECT_EQ(Histogram{}.quantile(0.5), std::nullopt);
    EXPECT_EQ(Histogram{}.count(), 0U);
    EXPECT_EQ(Histogram{}.text(), "");
}

TEST(Histogram, FindsQuantilesWithinASixteenth) {
    Histogram histogram;
    for (int i = 1; i <= 1000; ++i) histogram.add(i * 1ms);
    const auto is_near = [&](double share, microseconds truth) {
        const auto found = histogram.quantile(share).value();
        return found >= truth - truth / 16 && found <= truth + truth / 16;
    };
    EXPECT_TRUE(is_near(0.5, 500ms)) << histogram.quantile(0.5)->count();
    EXPECT_TRUE(is_near(0.99, 990ms)) << histogram.quantile(0.99)->count();
    EXPECT_TRUE(is_near(1, 1000ms)) << histogram.quantile(1)->count();
    EXPECT_TRUE(is_near(0, 1ms)) << histogram.quantile(0)->count();
}

TEST(Histogram, CountsWhatIsNotPositiveAsZeroAndWhatIsTooLongAsTheLongest) {
    Histogram histogram;
    histogram.add(-5s);
    EXPECT_EQ(histogram.quantile(1), 0us);
    histogram.add(microseconds::max());
    EXPECT_GT(histogram.quantile(1).value(), std::chrono::years{5});
}

RC_GTEST_PROP(Histogram, AddsUpToTheHistogramOfAll, ()) {
    const auto numbers =
        *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>());
    Histogram all, odd, even;
    for (const std::uint32_t number : numbers) {
        all.add(microseconds{number});
        (number % 2 == 0 ? even : odd).add(microseconds{number});
    }
    odd.add(even);
    RC_ASSERT(odd == all);
    RC_ASSERT(Histogram::read(all.text()) == all);
    RC_ASSERT(all.count() == numbers.size());
}

RC_GTEST_PROP(Histogram, HasEachValueWithinASixteenth, (std::uint32_t number)) {
    Histogram histogram;
    histogram.add(microseconds{number});
    const auto found = histogram.quantile(0.5).value().count();
    const auto off = std::abs(found - static_cast<std::int64_t>(number));
    RC_ASSERT(off * 16 <= static_cast<std::int64_t>(number));
}

TEST(Histogram, ReadsNothingButItsText) {
    for (const char* text : {"x", "1", "1:", "1:2,3:4", "1:2 1:3", "999:1", "1:0", "1:-1", ":1"}) {
        EXPECT_EQ(Histogram::read(text), std::nullopt) << text;
    }
    EXPECT_EQ(Histogram::read("0:1 9:2").value().count(), 3U);
}

}  // namespace
}  // namespace sundial
