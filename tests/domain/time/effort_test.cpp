#include "domain/time/effort.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace sundial {
namespace {

TEST(Effort, EndsWorkThatNeedsMoreSteps) {
    int done = 0;
    const auto ten_steps = [&] {
        for (done = 0; done < 10; ++done) effort::spend(1);
    };
    EXPECT_TRUE(within_effort(10, ten_steps));
    EXPECT_EQ(done, 10);
    EXPECT_FALSE(within_effort(9, ten_steps));
    EXPECT_EQ(done, 9);
}

TEST(Effort, IsUnlimitedOutside) {
    EXPECT_FALSE(within_effort(1, [] { effort::spend(2); }));
    effort::spend(1'000'000'000'000);
}

TEST(Effort, OfAPartCountsForTheWhole) {
    EXPECT_FALSE(within_effort(10, [] {
        EXPECT_TRUE(within_effort(8, [] { effort::spend(8); }));
        effort::spend(3);
    }));
    EXPECT_TRUE(within_effort(10, [] {
        EXPECT_FALSE(within_effort(2, [] { effort::spend(3); }));
        effort::spend(7);
    }));
}

TEST(Effort, OfAPartIsAtMostThatOfTheWhole) {
    EXPECT_FALSE(within_effort(10, [] {
        EXPECT_FALSE(within_effort(20, [] { effort::spend(11); }));
        effort::spend(1);
    }));
}

TEST(Effort, IsRestoredAfterAnException) {
    EXPECT_THROW((void)within_effort(10, [] { throw std::runtime_error{"other"}; }),
                 std::runtime_error);
    effort::spend(100);
}

}  // namespace
}  // namespace sundial
