#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "application/ports/event_queue.hpp"
#include "application/ports/failures.hpp"

namespace sundial {

/// Wraps a queue and can lose calls before or after they take effect. Each fault applies to the
/// next call of its kind. Of the answers to a settlement or release, `lost_part` loses all but the
/// first, as if the other events were on a machine that fails.
class FaultyQueue final : public EventQueue {
public:
    enum class Fault : std::uint8_t { none, lost_request, lost_reply, lost_part };

    explicit FaultyQueue(EventQueue& queue) : queue_(queue) {}
    [[nodiscard]] std::uint32_t shards() const override { return queue_.shards(); }
    [[nodiscard]] std::uint32_t claims_at_once() const override { return queue_.claims_at_once(); }
    void hint(Instant due) override {
        hints.push_back(due);
        queue_.hint(due);
    }
    using EventQueue::peek;
    QueuePeek peek(std::span<const Lane> lanes, const DeadInstances& dead) override {
        return call(peek_fault, [&] { return queue_.peek(lanes, dead); });
    }
    using EventQueue::claim_ready;
    std::vector<Claimed> claim_ready(std::span<const ClaimRequest> requests) override {
        if (before_claim) before_claim();
        return call(claim_fault, [&] { return queue_.claim_ready(requests); });
    }
    Claimed claim_from_line(const LineRequest& request) override {
        return call(claim_fault, [&] { return queue_.claim_from_line(request); });
    }
    std::vector<Result<void, LeaseLost>> settle(std::span<const Settlement> settlements) override {
        if (before_settle) before_settle();
        auto answers = call(settle_fault, [&] { return queue_.settle(settlements); });
        if (after_settle) after_settle();
        return answers;
    }
    std::vector<Result<void, LeaseLost>> release_claims(
        std::span<const ReleasedClaim> released) override {
        if (before_release) before_release();
        auto answers = call(release_fault, [&] { return queue_.release_claims(released); });
        if (after_release) after_release();
        return answers;
    }
    std::vector<EventId> extend(std::span<const Held> held,
                                std::chrono::microseconds lease) override {
        return call(extend_fault, [&] { return queue_.extend(held, lease); });
    }
    Backlog backlog(std::span<const Lane> lanes) override { return queue_.backlog(lanes); }
    std::optional<Instant> first_missed(Instant from, Instant until,
                                        std::span<const Lane> lanes) override {
        return queue_.first_missed(from, until, lanes);
    }
    QueueDepth depth() override { return queue_.depth(); }
    std::optional<Renewal> renew(InstanceId own) override {
        if (before_renew) before_renew();
        return call(renew_fault, [&] { return queue_.renew(own); });
    }
    void retire(InstanceId own) override { queue_.retire(own); }

    Fault peek_fault = Fault::none;
    Fault claim_fault = Fault::none;
    Fault settle_fault = Fault::none;
    Fault release_fault = Fault::none;
    Fault extend_fault = Fault::none;
    Fault renew_fault = Fault::none;
    std::vector<Instant> hints;
    std::function<void()> before_renew;
    std::function<void()> before_claim, before_settle, after_settle, before_release, after_release;

private:
    template <class Call>
    std::invoke_result_t<Call> call(Fault& fault, Call call) {
        const Fault now = std::exchange(fault, Fault::none);
        if (now == Fault::lost_request) throw Unavailable("connection refused");
        auto answer = call();
        if (now == Fault::lost_reply) throw Unavailable("connection reset");
        if (now == Fault::lost_part) lose_all_but_the_first(answer);
        return answer;
    }
    static void lose_all_but_the_first(const std::vector<Result<void, LeaseLost>>& answers) {
        std::vector<bool> unknown(answers.size(), true);
        unknown.front() = false;
        throw PartlyUnavailable("a machine is away", {answers, std::move(unknown)});
    }
    template <class Answer>
    static void lose_all_but_the_first(const Answer& /*whole*/) {
        throw std::logic_error("only settlements and releases are answered in parts");
    }
    EventQueue& queue_;
};

}  // namespace sundial
