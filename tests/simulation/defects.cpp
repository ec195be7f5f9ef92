#include "simulation/defects.hpp"

#include <chrono>
#include <map>
#include <utility>
#include <vector>

namespace sundial::simulation {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::microseconds for_ever = std::chrono::days{1000};

class DefectiveQueue final : public EventQueue {
public:
    DefectiveQueue(EventQueue& queue, Store& store, DatabaseClock& clock, Defect defect)
        : queue_(queue), store_(store), clock_(clock), defect_(defect) {}

    [[nodiscard]] std::uint32_t shards() const override { return queue_.shards(); }
    [[nodiscard]] std::uint32_t claims_at_once() const override { return queue_.claims_at_once(); }
    QueuePeek peek(std::span<const Lane> lanes, const DeadInstances& dead) override {
        QueuePeek peeked = queue_.peek(lanes, dead);
        if (defect_ == Defect::claims_early) peeked.now += 10s;
        return peeked;
    }
    std::vector<Claimed> claim_ready(std::span<const ClaimRequest> requests) override {
        std::vector<ClaimRequest> others{requests.begin(), requests.end()};
        for (ClaimRequest& other : others) other.lease = lease_of(other.lease);
        if (defect_ != Defect::claims_early) return queue_.claim_ready(others);
        clock_.put_ahead(10s);
        auto claims = queue_.claim_ready(others);
        clock_.put_ahead(-10s);
        return claims;
    }
    Claimed claim_from_line(const LineRequest& request) override {
        return queue_.claim_from_line(request);
    }
    std::vector<Result<void, LeaseLost>> settle(std::span<const Settlement> settlements) override {
        std::vector<Settlement> others{settlements.begin(), settlements.end()};
        for (Settlement& one : others) {
            if (defect_ == Defect::no_version_check) take_over(one);
            auto* retry = std::get_if<RetryIn>(&one.result);
            if (defect_ == Defect::retry_forgotten && retry != nullptr) retry->delay = for_ever;
        }
        return queue_.settle(others);
    }
    std::vector<Result<void, LeaseLost>> release_claims(
        std::span<const ReleasedClaim> released) override {
        return queue_.release_claims(released);
    }
    std::vector<EventId> extend(std::span<const Held> held,
                                std::chrono::microseconds lease) override {
        return queue_.extend(held, lease_of(lease));
    }
    Backlog backlog(std::span<const Lane> lanes) override { return queue_.backlog(lanes); }
    std::optional<Instant> first_missed(Instant from, Instant until,
                                        std::span<const Lane> lanes) override {
        return queue_.first_missed(from, until, lanes);
    }
    QueueDepth depth() override { return queue_.depth(); }
    std::optional<Renewal> renew(InstanceId own) override {
        auto renewal = queue_.renew(own);
        const Instant now = clock_.now();
        renewed_at_[own] = now;
        const bool none_dies =
            defect_ == Defect::dead_are_not_found || defect_ == Defect::lease_never_ends;
        if (none_dies) renewal = Renewal{};
        if (defect_ != Defect::silence_counts) return renewal;
        for (const auto& [id, renewed_at] : renewed_at_) {
            if (now - renewed_at >= dead_after) renewal->dead.ids.push_back(id);
        }
        return renewal;
    }
    void retire(InstanceId own) override { queue_.retire(own); }

private:
    [[nodiscard]] std::chrono::microseconds lease_of(std::chrono::microseconds lease) const {
        if (defect_ == Defect::takes_over_early) return 2s;
        return defect_ == Defect::lease_never_ends ? for_ever : lease;
    }
    /// Makes the settlement match the current claim, whichever instance and attempt holds it.
    void take_over(Settlement& settlement) {
        store_.read([&](Transaction& tx) {
            const auto event = tx.events().find(settlement.id);
            if (!event || !is_claimed(*event)) return;
            settlement.held = event->version;
            settlement.number = event->attempt;
            if (settlement.attempt) settlement.attempt->number = event->attempt;
        });
    }

    EventQueue& queue_;
    Store& store_;
    DatabaseClock& clock_;
    Defect defect_;
    std::map<InstanceId, Instant> renewed_at_;
};

}  // namespace

std::unique_ptr<EventQueue> with_defect(EventQueue& queue, Store& store, DatabaseClock& clock,
                                        Defect defect) {
    return std::make_unique<DefectiveQueue>(queue, store, clock, defect);
}

}  // namespace sundial::simulation
