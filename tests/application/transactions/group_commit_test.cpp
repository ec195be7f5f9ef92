#include "application/transactions/group_commit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sundial {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Le;
using testing::SizeIs;

/// Each number gets ten times its value as result. Commits proceed one at a time if the test says
/// so.
class GroupCommitTest : public testing::Test {
protected:
    using Numbers = GroupCommit<int, int>;

    std::vector<int> commit(std::span<const int* const> items) {
        {
            const std::lock_guard lock(mutex);
            auto& group = groups.emplace_back();
            for (const int* item : items) group.push_back(*item);
        }
        if (held) {
            ++begun;
            begun.notify_all();
            go_on.get_future().get();
        }
        std::vector<int> answers;
        for (const int* item : items) {
            if (*item == gone) throw Unavailable("away");
            if (*item == odd) throw std::domain_error("odd");
            answers.push_back(*item * 10);
        }
        return answers;
    }
    std::future<int> start(Numbers& numbers, int item) {
        return std::async(std::launch::async, [&numbers, item] { return numbers.run(item); });
    }
    /// Delays the first commit, that of 1, until all `items` wait.
    std::vector<std::future<int>> behind_the_first(Numbers& numbers,
                                                   const std::vector<int>& items) {
        std::vector<std::future<int>> answers;
        held = true;
        answers.push_back(start(numbers, 1));
        begun.wait(0);
        held = false;
        for (const int item : items) {
            const auto before = numbers.waiting();
            answers.push_back(start(numbers, item));
            while (numbers.waiting() == before) std::this_thread::yield();
        }
        go_on.set_value();
        return answers;
    }

    static constexpr int gone = -1, odd = -2;
    std::mutex mutex;
    std::vector<std::vector<int>> groups;
    std::atomic<bool> held = false;
    std::atomic<int> begun = 0;
    std::promise<void> go_on;
    const Numbers::Commit commits = [this](std::span<const int* const> items) {
        return commit(items);
    };
};

TEST_F(GroupCommitTest, CommitsASingleTransactionAtOnce) {
    Numbers numbers({.under_way = 1, .members = 9}, commits);
    EXPECT_EQ(numbers.run(1), 10);
    EXPECT_EQ(numbers.run(2), 20);
    EXPECT_THAT(groups, ElementsAre(ElementsAre(1), ElementsAre(2)));
}

TEST_F(GroupCommitTest, CommitsConcurrentTransactionsTogether) {
    Numbers numbers({.under_way = 1, .members = 9}, commits);
    auto answers = behind_the_first(numbers, {2, 3, 4});
    for (int i = 0; i < 4; ++i) EXPECT_EQ(answers[static_cast<std::size_t>(i)].get(), 10 * (i + 1));
    EXPECT_THAT(groups, ElementsAre(ElementsAre(1), ElementsAre(2, 3, 4)));
    EXPECT_EQ(numbers.run(5), 50);  // the slot is free again
}

TEST_F(GroupCommitTest, BoundsTheSizeOfAGroup) {
    Numbers numbers({.under_way = 1, .members = 2}, commits);
    auto answers = behind_the_first(numbers, {2, 3, 4});
    for (auto& answer : answers) answer.get();
    EXPECT_THAT(groups, ElementsAre(ElementsAre(1), ElementsAre(2, 3), ElementsAre(4)));
}

TEST_F(GroupCommitTest, ReportsUnavailableStorageToTheWholeGroup) {
    Numbers numbers({.under_way = 1, .members = 9}, commits);
    auto answers = behind_the_first(numbers, {2, gone, 3});
    EXPECT_EQ(answers[0].get(), 10);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_THROW(answers[i].get(), Unavailable);
    EXPECT_THAT(groups, SizeIs(2));  // a commit with an unknown outcome is not repeated
    EXPECT_EQ(numbers.run(5), 50);
}

TEST_F(GroupCommitTest, CommitsSeparatelyIfOneTransactionFails) {
    Numbers numbers({.under_way = 1, .members = 9}, commits);
    auto answers = behind_the_first(numbers, {2, odd, 3});
    EXPECT_EQ(answers[1].get(), 20);
    EXPECT_THROW(answers[2].get(), std::domain_error);
    EXPECT_EQ(answers[3].get(), 30);
    EXPECT_THAT(groups, ElementsAre(ElementsAre(1), ElementsAre(2, odd, 3), ElementsAre(2),
                                    ElementsAre(odd), ElementsAre(3)));
    EXPECT_EQ(numbers.run(5), 50);
}

TEST_F(GroupCommitTest, RethrowsTheErrorOfASingleTransaction) {
    Numbers numbers({.under_way = 1, .members = 9}, commits);
    EXPECT_THROW((void)numbers.run(odd), std::domain_error);
    EXPECT_THROW((void)numbers.run(gone), Unavailable);
    EXPECT_THAT(groups, ElementsAre(ElementsAre(odd), ElementsAre(gone)));
    EXPECT_EQ(numbers.run(5), 50);
}

TEST_F(GroupCommitTest, BoundsTheNumberOfConcurrentCommits) {
    constexpr int threads = 8, each = 200;
    std::atomic<int> under_way = 0, max_under_way = 0;
    Numbers numbers({.under_way = 2, .members = 3}, [&](std::span<const int* const> items) {
        const int now = ++under_way;
        for (int seen = max_under_way;
             seen < now && !max_under_way.compare_exchange_weak(seen, now);) {
        }
        auto answers = commit(items);
        --under_way;
        return answers;
    });
    std::vector<std::future<void>> running;
    for (int thread = 0; thread < threads; ++thread) {
        running.push_back(std::async(std::launch::async, [&numbers, thread] {
            for (int i = 0; i < each; ++i) {
                const int item = thread * each + i;
                EXPECT_EQ(numbers.run(item), item * 10);
            }
        }));
    }
    for (auto& one : running) one.get();

    EXPECT_LE(max_under_way, 2);
    EXPECT_THAT(groups, Each(SizeIs(Le(3U))));
    std::vector<int> all;
    for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
    std::ranges::sort(all);
    EXPECT_THAT(all, SizeIs(threads * each));
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
    EXPECT_EQ(numbers.waiting(), 0U);
}

}  // namespace
}  // namespace sundial
