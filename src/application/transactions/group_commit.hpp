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
    std::size_t under_way;  // commits at once
    std::size_t members;    // in one of them
};

/// Group commit: what comes while as many commits as may be are under way goes, together, into the
/// next one, which the first of those who wait carries out for all. What finds room goes at once
/// and waits for nobody. Thread-safe.
template <class Item, class Answer>
class GroupCommit {
public:
    /// Commits all of them together and answers in their order.
    using Commit = std::function<std::vector<Answer>(std::span<const Item* const> items)>;

    GroupCommit(const GroupLimits& limits, Commit commit)
        : limits_(limits), commit_(std::move(commit)) {}
    GroupCommit(const GroupCommit&) = delete;
    GroupCommit& operator=(const GroupCommit&) = delete;

    /// What became of `item`. That storage is unavailable is told to all of a group; on any other
    /// failure one of them is to blame, so each is committed by itself, and that one told.
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
        std::promise<void> turn{};  // comes when it is settled, or leads the next group
    };
    /// Shared with whoever wakes it, who may come last.
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
        // First, since it has work to do.
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

    /// Who takes the place of the commit that has ended; nobody if nobody waits.
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
