#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "application/ports/failures.hpp"
#include "base/check.hpp"

namespace sundial {

struct GroupLimits {
    std::size_t under_way;  // concurrent commits
    std::size_t members;    // maximum number of items in one commit
};

/// Group commit. While the maximum number of commits is under way, new items wait and then go
/// together into the next commit, which the thread of the first of them runs for all. Below the
/// maximum, an item is committed at once without waiting. Thread-safe.
template <class Item, class Answer>
class GroupCommit {
public:
    /// Commits all items together and returns one answer for each, in their order.
    using Commit = std::function<std::vector<Answer>(std::span<const Item* const> items)>;

    GroupCommit(const GroupLimits& limits, Commit commit)
        : limits_(limits), commit_(std::move(commit)) {}
    GroupCommit(const GroupCommit&) = delete;
    GroupCommit& operator=(const GroupCommit&) = delete;

    /// The result of `item`. If storage is unavailable, all members of a group get that exception.
    /// On any other failure one item may be the cause, so each is committed alone and only that one
    /// gets the exception.
    [[nodiscard]] Answer run(const Item& item) {
        const auto own = std::make_shared<Member>(item);
        if (has_to_wait(own)) own->turn.get_future().wait();
        if (!own->is_settled()) lead(own);
        if (own->failure) std::rethrow_exception(own->failure);
        return *std::move(own->answer);
    }

    [[nodiscard]] std::size_t waiting() const {
        const std::lock_guard lock(mutex_);
        return waiting_.size();
    }

private:
    struct Member {
        explicit Member(const Item& its_item) : item(its_item) {}
        [[nodiscard]] bool is_settled() const { return answer || failure; }

        const Item& item;
        std::optional<Answer> answer{};
        std::exception_ptr failure{};
        std::promise<void> turn{};  // set when the member is settled, or leads the next group
    };
    /// Shared with the thread that wakes it, which may use it last.
    using MemberPtr = std::shared_ptr<Member>;

    bool has_to_wait(const MemberPtr& own) {
        const std::lock_guard lock(mutex_);
        const bool full = under_way_ == limits_.under_way;
        if (full) {
            waiting_.push_back(own);
        } else {
            ++under_way_;
        }
        return full;
    }

    void lead(const MemberPtr& own) {
        const std::vector<MemberPtr> group = gather(own);
        settle(group);
        // First, so that the next leader starts early.
        if (const MemberPtr next = next_leader()) next->turn.set_value();
        for (const MemberPtr& member : group) {
            if (member != own) member->turn.set_value();
        }
    }

    std::vector<MemberPtr> gather(const MemberPtr& own) {
        std::vector<MemberPtr> group{own};
        const std::lock_guard lock(mutex_);
        while (!waiting_.empty() && group.size() < limits_.members) {
            group.push_back(std::move(waiting_.front()));
            waiting_.pop_front();
        }
        return group;
    }

    void settle(std::span<const MemberPtr> group) {
        std::vector<const Item*> items;
        items.reserve(group.size());
        for (const MemberPtr& member : group) items.push_back(&member->item);
        try {
            std::vector<Answer> answers = commit_(items);
            base::check(answers.size() == group.size());
            for (std::size_t i = 0; i < group.size(); ++i) group[i]->answer = std::move(answers[i]);
        } catch (const Unavailable&) {
            for (const MemberPtr& member : group) member->failure = std::current_exception();
        } catch (...) {
            if (group.size() == 1) {
                group.front()->failure = std::current_exception();
                return;
            }
            for (const MemberPtr& member : group) settle({&member, 1});
        }
    }

    /// The leader that replaces the ended commit; null if no member waits.
    MemberPtr next_leader() {
        const std::lock_guard lock(mutex_);
        if (waiting_.empty()) {
            --under_way_;
            return nullptr;
        }
        MemberPtr next = std::move(waiting_.front());
        waiting_.pop_front();
        return next;
    }

    const GroupLimits limits_;
    const Commit commit_;
    mutable std::mutex mutex_;
    std::size_t under_way_ = 0;
    std::deque<MemberPtr> waiting_;
};

}  // namespace sundial
