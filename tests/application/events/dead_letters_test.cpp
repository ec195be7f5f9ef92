#include <gmock/gmock.h>

#include "application/ports/event_repository.hpp"
#include "support/builders.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(DeadLetterCounters, CountsTheNewestOfVeryMany) {
    DeadLetterCounters counters{DeadLettersBy::reason};
    const EventId newest = an_id<EventId>();
    counters.add("TIMEOUT", std::nullopt, noon, newest);
    for (std::size_t i = 1; i < max_dead_letters; ++i) {
        counters.add("TIMEOUT", std::nullopt, noon - 1s, an_id<EventId>());
    }
    const auto full = DeadLetterCounters{counters}.result();
    EXPECT_TRUE(full.complete);
    EXPECT_EQ(full.counted, max_dead_letters);
    counters.add("DNS", std::nullopt, noon - 2s, an_id<EventId>());
    const auto letters = std::move(counters).result();
    EXPECT_FALSE(letters.complete);
    EXPECT_EQ(letters.counted, max_dead_letters);
    ASSERT_THAT(letters.groups, SizeIs(1));
    EXPECT_EQ(letters.groups[0].count, max_dead_letters);
    EXPECT_EQ(letters.groups[0].newest, noon);
    EXPECT_EQ(letters.groups[0].oldest, noon - 1s);
    EXPECT_THAT(letters.groups[0].samples, SizeIs(max_dead_letter_samples));
    EXPECT_EQ(letters.groups[0].samples.front(), newest);
}

TEST(DeadLetterCounters, ShowsTheLargestGroupsAndOfEqualOnesTheNewest) {
    DeadLetterCounters counters{DeadLettersBy::reason};
    counters.add("newer", std::nullopt, noon, an_id<EventId>());
    counters.add("older", std::nullopt, noon - 1s, an_id<EventId>());
    for (int i = 0; i < 2; ++i) counters.add("two", std::nullopt, noon - 2s, an_id<EventId>());
    for (std::size_t i = 0; i < max_dead_letter_groups; ++i) {
        counters.add("reason " + std::to_string(i), std::nullopt, noon - 3s, an_id<EventId>());
    }
    const auto groups = std::move(counters).result().groups;
    ASSERT_THAT(groups, SizeIs(max_dead_letter_groups));
    EXPECT_EQ(groups[0].reason, "two");
    EXPECT_EQ(groups[1].reason, "newer");
    EXPECT_EQ(groups[2].reason, "older");
}

TEST(DeadLetterCounters, ByEndpointIgnoresReasons) {
    const EndpointId crm = an_id<EndpointId>();
    DeadLetterCounters counters{DeadLettersBy::endpoint};
    counters.add("TIMEOUT", crm, noon, an_id<EventId>());
    counters.add("DNS", crm, noon, an_id<EventId>());
    counters.add("DNS", std::nullopt, noon - 1s, an_id<EventId>());
    const auto groups = std::move(counters).result().groups;
    ASSERT_THAT(groups, SizeIs(2));
    EXPECT_EQ(groups[0].endpoint, crm);
    EXPECT_EQ(groups[0].count, 2U);
    EXPECT_EQ(groups[0].reason, "");
    EXPECT_FALSE(groups[1].endpoint);
}

}  // namespace
}  // namespace sundial
