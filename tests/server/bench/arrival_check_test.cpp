#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "server/bench/site.hpp"

namespace sundial::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> faults_of(const ArrivalCheck& arrivals) {
    std::vector<std::string> faults;
    arrivals.report(faults);
    return faults;
}

TEST(ArrivalCheck, PassesIfEachEventArrivedOnce) {
    ArrivalCheck arrivals(3);
    for (const char* key : {"drain-1-0", "drain-1-2", "drain-1-1"}) arrivals.seen(key);
    EXPECT_EQ(arrivals.times(), 3U);
    EXPECT_THAT(faults_of(arrivals), IsEmpty());
}

TEST(ArrivalCheck, ReportsMissingEvents) {
    ArrivalCheck arrivals(3);
    arrivals.seen("drain-1-0");
    EXPECT_THAT(faults_of(arrivals), ElementsAre("2 events were not delivered"));
}

TEST(ArrivalCheck, ReportsDuplicateEvents) {
    ArrivalCheck arrivals(2);
    for (const char* key : {"drain-1-0", "drain-1-1", "drain-1-1", "drain-1-1"}) arrivals.seen(key);
    EXPECT_THAT(faults_of(arrivals), ElementsAre("1 events were delivered more than once"));
}

TEST(ArrivalCheck, ReportsUnknownEvents) {
    ArrivalCheck arrivals(1);
    for (const char* key : {"drain-1-0", "drain-1-1", "somebody-else", ""}) arrivals.seen(key);
    EXPECT_THAT(faults_of(arrivals), ElementsAre("3 deliveries of unknown events"));
}

TEST(ExpectedStock, CountsOnlyNewEvents) {
    std::vector<std::string> faults;
    expect_stock({.live = 5, .completed = 7}, {.live = 5, .completed = 107}, 100, 0, faults);
    EXPECT_THAT(faults, IsEmpty());
    expect_stock({.live = 5, .completed = 7}, {.live = 6, .completed = 106, .other = 1}, 100, 0,
                 faults);
    EXPECT_THAT(faults, ElementsAre(HasSubstr("106 completed events are stored, expected 107"),
                                    HasSubstr("6 live"), HasSubstr("1 failed or cancelled")));
}

TEST(InThreads, RethrowsAnExceptionOfAThread) {
    EXPECT_THROW(in_threads(3,
                            [](std::size_t number) {
                                if (number == 1) throw std::runtime_error("one of three");
                            }),
                 std::runtime_error);
}

}  // namespace
}  // namespace sundial::bench
