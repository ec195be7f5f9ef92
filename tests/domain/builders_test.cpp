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

TEST(Builders, PlaceEventsInTheShardThatIsAskedFor) {
    const Event first = an_event().in_shard(5);
    const Event second = an_event().in_shard(5);
    EXPECT_EQ(shard_of(first.id, 16), 5U);
    EXPECT_NE(first.id, second.id);
}

}  // namespace
}  // namespace sundial
