#pragma once

#include <span>
#include <vector>

#include "application/observation/observer.hpp"
#include "application/ports/claim_log.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial {

/// A queue that writes its claims, extensions, settlements and releases to a claim log.
class LoggedQueue final : public EventQueue {
public:
    LoggedQueue(EventQueue& queue, const MonotonicClock& monotonic, ClaimLog& log)
        : queue_(queue), monotonic_(monotonic), log_(log) {}
    [[nodiscard]] std::uint32_t shards() const override { return queue_.shards(); }
    void hint(Instant due) override { queue_.hint(due); }
    QueuePeek peek() override { return queue_.peek(); }
    Claimed claim_ready(const ClaimRequest& request) override;
    Claimed claim_from_line(const LineRequest& request) override;
    std::vector<Result<void>> settle(std::span<const Settlement> settlements) override;
    std::vector<Result<void>> release_claims(std::span<const ReleasedClaim> released) override;
    std::vector<EventId> extend(std::span<const Held> held,
                                std::chrono::microseconds lease) override;
    void announce(InstanceId by, std::span<const std::string> event_types,
                  std::chrono::microseconds valid) override {
        queue_.announce(by, event_types, valid);
    }
    [[nodiscard]] std::vector<std::string> announced() override { return queue_.announced(); }
    Backlog backlog() override { return queue_.backlog(); }
    QueueDepth depth() override { return queue_.depth(); }

private:
    template <class Call>
    Claimed log_claim(Call claim);
    /// Times the call; if it throws, the outcome of `steps` is unknown.
    template <class Call>
    auto answer_of(std::vector<ClaimStep>& steps, Call call);

    EventQueue& queue_;
    const MonotonicClock& monotonic_;
    ClaimLog& log_;
};

/// Writes each send to the claim log immediately before it.
class LoggedSends final : public EngineObserver {
public:
    explicit LoggedSends(ClaimLog& log) : log_(log) {}
    void started(const AttemptStarted& attempt_started) override;

private:
    ClaimLog& log_;
};

}  // namespace sundial
