#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "application/ports/event_queue.hpp"
#include "application/ports/failures.hpp"

namespace sundial {

/// Wraps a queue and can lose calls before or after they take effect. Each fault applies to the
/// next call of its kind.
class FaultyQueue final : public EventQueue {
public:
    enum class Fault : std::uint8_t { none, lost_request, lost_reply };

    explicit FaultyQueue(EventQueue& queue) : queue_(queue) {}
    [[nodiscard]] std::uint32_t shards() const override { return queue_.shards(); }
    void hint(Instant due) override {
        hints.push_back(due);
        queue_.hint(due);
    }
    Horizon look() override {
        return call(look_fault, [&] { return queue_.look(); });
    }
    Claimed claim_ready(const ClaimRequest& request) override {
        if (before_claim) before_claim();
        return call(claim_fault, [&] { return queue_.claim_ready(request); });
    }
    std::vector<Result<void>> settle(std::span<const Settlement> settlements) override {
        if (before_settle) before_settle();
        auto answers = call(settle_fault, [&] { return queue_.settle(settlements); });
        if (after_settle) after_settle();
        return answers;
    }
    std::vector<Result<void>> give_back(std::span<const GivenBack> given_back) override {
        if (before_give_back) before_give_back();
        auto answers = call(give_back_fault, [&] { return queue_.give_back(given_back); });
        if (after_give_back) after_give_back();
        return answers;
    }
    std::vector<EventId> extend(std::span<const Held> held,
                                std::chrono::microseconds lease) override {
        return call(extend_fault, [&] { return queue_.extend(held, lease); });
    }
    Backlog backlog() override { return queue_.backlog(); }
    std::optional<Instant> first_missed(Instant from, Instant until) override {
        return queue_.first_missed(from, until);
    }
    QueueDepth depth() override { return queue_.depth(); }

    Fault look_fault = Fault::none;
    Fault claim_fault = Fault::none;
    Fault settle_fault = Fault::none;
    Fault give_back_fault = Fault::none;
    Fault extend_fault = Fault::none;
    std::vector<Instant> hints;
    std::function<void()> before_claim, before_settle, after_settle, before_give_back,
        after_give_back;

private:
    template <class Call>
    std::invoke_result_t<Call> call(Fault& fault, Call call) {
        const Fault now = std::exchange(fault, Fault::none);
        if (now == Fault::lost_request) throw Unavailable("connection refused");
        auto answer = call();
        if (now == Fault::lost_reply) throw Unavailable("connection reset");
        return answer;
    }
    EventQueue& queue_;
};

}  // namespace sundial
