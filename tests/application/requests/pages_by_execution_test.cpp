#include "application/requests/pages_by_execution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "support/builders.hpp"

namespace sundial {
namespace {

/// Walks over a history without an event that matches.
class ExecutionPages : public testing::Test {
protected:
    static constexpr std::size_t max_passed = 10'000;
    struct Read {
        std::size_t counts = 0, passed = 0;
    };
    /// One entry for each page.
    std::vector<Read> walk(bool descending) {
        std::ranges::sort(ends_);
        EventQuery query;
        query.sort = EventQuery::Sort::executed_at;
        query.page.descending = descending;
        query.max_passed = max_passed;
        std::vector<Read> pages;
        for (bool more = true; more && pages.size() < 1'000;) {
            Read read;
            const Page<Event> page = page_by_execution(query, noon, history(read));
            pages.push_back(read);
            more = page.has_more;
            if (!more) break;
            EXPECT_TRUE(page.passed);
            EXPECT_NE(page.passed, query.page.after);
            query.page.after = page.passed;
        }
        return pages;
    }
    /// Every event was read once, and no page read much.
    void expect_bounded_pages(std::size_t expected_pages) {
        for (const bool descending : {true, false}) {
            const auto pages = walk(descending);
            std::size_t passed = 0;
            for (const Read& page : pages) {
                EXPECT_LE(page.passed, 3 * max_passed / 2);
                EXPECT_LE(page.counts, 80U);
                passed += page.passed;
            }
            EXPECT_EQ(passed, ends_.size());
            EXPECT_LE(pages.size(), expected_pages);
            EXPECT_GE(pages.size(), ends_.size() / (3 * max_passed / 2));
        }
    }

    std::vector<Instant> ends_;

private:
    EndedEvents history(Read& read) {
        const auto between = [this](Instant from, Instant to) {
            return static_cast<std::size_t>(std::ranges::lower_bound(ends_, to) -
                                            std::ranges::lower_bound(ends_, from));
        };
        return {.list =
                    [&read, between](const EventQuery& part) {
                        if (part.sort == EventQuery::Sort::executed_at) {
                            read.passed +=
                                between(part.executed_from.value(), part.executed_to.value());
                        }
                        return Page<Event>{};
                    },
                .count =
                    [&read, between](Instant from, Instant to, std::size_t most) {
                        ++read.counts;
                        return std::min(between(from, to), most + 1);
                    }};
    }
};

TEST_F(ExecutionPages, OfAnEmptyHistoryTakeFewSteps) {
    const auto pages = walk(true);
    ASSERT_EQ(pages.size(), 1U);
    EXPECT_LE(pages[0].counts, 12U);
}

TEST_F(ExecutionPages, OfASteadyHistoryPassMuch) {
    for (int i = 0; i < 100'000; ++i) ends_.push_back(noon - 1s * i);
    expect_bounded_pages(21);
}

TEST_F(ExecutionPages, OfABusyHistoryPassMuch) {
    for (int i = 0; i < 100'000; ++i) ends_.push_back(noon - 15us * i);
    expect_bounded_pages(21);
}

TEST_F(ExecutionPages, OfDailyPeaksPassMuch) {
    for (int day = 1; day <= 30; ++day) {
        for (int i = 0; i < 30'000; ++i) ends_.push_back(noon - 24h * day - 1ms * i);
    }
    expect_bounded_pages(181);
}

/// One transaction cancelled them.
TEST_F(ExecutionPages, OfACrowdedMicrosecondReadItWhole) {
    ends_.push_back(noon - 3h);
    ends_.resize(50'000, noon - 2h);
    ends_.push_back(noon - 1h);
    for (const bool descending : {true, false}) {
        const auto pages = walk(descending);
        std::size_t passed = 0;
        for (const auto& page : pages) {
            EXPECT_LE(page.counts, 80U);
            passed += page.passed;
        }
        EXPECT_EQ(passed, ends_.size());
        EXPECT_LE(pages.size(), 3U);
    }
}

TEST_F(ExecutionPages, HaveEventsAfterNowToo) {
    ends_ = {noon - 1h, noon + 5min, noon + 48h};
    for (const bool descending : {true, false}) {
        const auto pages = walk(descending);
        ASSERT_EQ(pages.size(), 1U);
        EXPECT_EQ(pages[0].passed, 3U);
    }
}

}  // namespace
}  // namespace sundial
