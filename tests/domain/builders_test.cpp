#include "support/builders.hpp"

#include <gtest/gtest.h>

namespace sundial {
namespace {

TEST(Builders, GiveEachValueItsOwnIdAndKey) {
    const Event first = an_event();
    const Event second = an_event();
    EXPECT_NE(first.id, second.id);
    EXPECT_NE(first.key, second.key);
    EXPECT_NE(a_user().build().id, a_user().build().id);
    EXPECT_NE(a_schedule().build().id, a_schedule().build().id);
    EXPECT_NE(an_endpoint().build().id, an_endpoint().build().id);
}

TEST(Builders, PlaceAnEventInTheShardThatIsAskedFor) {
    EXPECT_EQ(shard_of(an_event().in_shard(5).build().id, 16), 5U);
}

}  // namespace
}  // namespace sundial
