#include "base/result.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace sundial::base {
namespace {

struct Refused {
    int reason;
};
struct Missing {};
using Error = std::variant<Refused, Missing>;

Result<std::string, Error> answer(bool good) {
    if (!good) return Refused{7};
    return "good";
}

TEST(Result, HoldsAValueOrOneOfTheErrors) {
    ASSERT_TRUE(answer(true));
    EXPECT_EQ(*answer(true), "good");
    ASSERT_FALSE(answer(false));
    EXPECT_EQ(std::get<Refused>(answer(false).error()).reason, 7);
}

TEST(Result, OfVoidIsDoneOrAnError) {
    const Result<void, Error> done;
    const Result<void, Error> missing = Missing{};
    EXPECT_TRUE(done);
    EXPECT_FALSE(missing);
}

TEST(ResultDeathTest, ReadingTheValueOfAnErrorEndsTheProcessWithThePlace) {
    EXPECT_DEATH((void)answer(false).value(), "check failed at .*result.hpp");
}

}  // namespace
}  // namespace sundial::base
