#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "application/observation/observer.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/pull_queue.hpp"
#include "application/ports/store.hpp"
#include "base/log.hpp"

namespace sundial {

struct TransactionChanges;

/// The storage of a process, with reports of what happens in it: the duration of each call; for all
/// use cases the effects of committed transactions on events, which are a log line for each moved
/// or cancelled event and counts of created and cancelled events and of events appended to streams;
/// version conflicts; and, with a claim log, each step of a claim.
class ObservedStorage final : public Store, public EventQueue, public PullQueue {
public:
    struct Ports {
        Store& store;
        EventQueue& queue;
        PullQueue& pull_queue;
        const MonotonicClock& monotonic;
        StorageObserver& observer;
        base::Log& log;
        ClaimLog* claims = nullptr;  // null: none is written
    };
    explicit ObservedStorage(const Ports& ports) : ports_(ports) {}

    /// `appended` is called after each commit that appended to a stream. Call this before the first
    /// transaction.
    void on_append(std::function<void()> appended) { appended_ = std::move(appended); }

    void transact(const std::function<bool(Transaction&)>& work) override;
    void read(const std::function<void(Transaction&)>& work) override;
    std::optional<Appended> append_at_once(ExpectedVersion expected,
                                           std::span<const RecordedEvent> batch) override;
    [[nodiscard]] bool open_here() override { return ports_.store.open_here(); }
    [[nodiscard]] std::uint32_t parts() const override { return ports_.store.parts(); }
    void conflicted(std::string_view operation) override {
        ports_.observer.conflicted(operation, 1);
    }

    [[nodiscard]] std::uint32_t shards() const override { return ports_.queue.shards(); }
    [[nodiscard]] std::uint32_t claims_at_once() const override {
        return ports_.queue.claims_at_once();
    }
    void hint(Instant due) override { ports_.queue.hint(due); }
    using EventQueue::peek;
    QueuePeek peek(std::span<const Lane> lanes, const DeadInstances& dead) override;
    using EventQueue::claim_ready;
    std::vector<Claimed> claim_ready(std::span<const ClaimRequest> requests) override;
    Claimed claim_from_line(const LineRequest& request) override;
    std::vector<Result<void, LeaseLost>> settle(std::span<const Settlement> settlements) override;
    std::vector<Result<void, LeaseLost>> settle_soon(
        std::span<const Settlement> settlements) override;
    std::vector<Result<void, LeaseLost>> release_claims(
        std::span<const ReleasedClaim> released) override;
    std::vector<EventId> extend(std::span<const Held> held,
                                std::chrono::microseconds lease) override;
    Backlog backlog(std::span<const Lane> lanes) override;
    std::optional<Instant> first_missed(Instant from, Instant until,
                                        std::span<const Lane> lanes) override;
    QueueDepth depth() override;
    std::optional<Renewal> renew(InstanceId own) override;
    void retire(InstanceId own) override;

    PullPeek peek(std::span<const EndpointId> endpoints) override;
    Claimed claim(const PullRequest& request) override;
    std::uint32_t held(EndpointId endpoint) override;

private:
    void report(const TransactionChanges& changes);
    /// Reports the duration of a call that claims, and writes its claims to the claim log.
    template <class Call>
    std::vector<Claimed> logged_claims(std::string_view operation, Call claim);
    void report_conflicts(std::string_view operation, std::size_t count);
    using SettleCall =
        std::vector<Result<void, LeaseLost>> (EventQueue::*)(std::span<const Settlement>);
    [[nodiscard]] std::vector<Result<void, LeaseLost>> settle_by(
        SettleCall method, std::span<const Settlement> settlements);
    [[nodiscard]] std::vector<Result<void, LeaseLost>> settle_and_log(
        SettleCall method, std::span<const Settlement> settlements);
    [[nodiscard]] std::vector<Result<void, LeaseLost>> release_and_log(
        std::span<const ReleasedClaim> released);
    [[nodiscard]] std::vector<EventId> extend_and_log(std::span<const Held> held,
                                                      std::chrono::microseconds lease);
    /// Reports the duration of `call`, whether it returns or throws.
    template <class Call>
    auto timed(std::string_view operation, Call call);
    /// The same; writes `steps` to the claim log if the call throws, with the answers that are
    /// known.
    template <class Call>
    auto timed(std::string_view operation, std::vector<ClaimStep>& steps, Call call);

    Ports ports_;
    std::function<void()> appended_;
};

/// The worker's store with a claim log. An event that a transaction changes between two claims gets
/// a version that no claim explains, so its update is a step as well. Without it, an event that an
/// instance releases and then makes claimable at once would have a version without an author.
class LoggedStore final : public Store {
public:
    LoggedStore(Store& store, const MonotonicClock& monotonic, ClaimLog& log)
        : store_(store), monotonic_(monotonic), log_(log) {}

    void transact(const std::function<bool(Transaction&)>& work) override;
    void read(const std::function<void(Transaction&)>& work) override { store_.read(work); }
    [[nodiscard]] bool open_here() override { return store_.open_here(); }
    [[nodiscard]] std::uint32_t parts() const override { return store_.parts(); }
    std::optional<Appended> append_at_once(ExpectedVersion expected,
                                           std::span<const RecordedEvent> batch) override {
        return store_.append_at_once(expected, batch);
    }
    void conflicted(std::string_view operation) override { store_.conflicted(operation); }

private:
    Store& store_;
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
