#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "application/ports/event_queue.hpp"
#include "application/ports/failures.hpp"
#include "application/ports/store.hpp"
#include "simulation/world.hpp"

namespace sundial::simulation {

/// Thrown where a process dies. Not an exception of the product, so that no code catches it.
struct ProcessDied {};

/// The fault of one call of a port.
enum class CallFault : std::uint8_t {
    none,
    dies_before,
    dies_after,
    lost_request,
    lost_reply,
    database_away  // it answers no instance
};

/// `peek`: a call that only reads; `heartbeat`: a renewal. An idle process makes no others.
enum class CallKind : std::uint8_t { peek, heartbeat, other };

/// The ports' view of the calling process.
class PortUser {
public:
    virtual ~PortUser() = default;
    [[nodiscard]] virtual std::uint32_t number() const = 0;
    /// A call arrives at the database; returns its fault.
    virtual CallFault begin_call(CallKind kind) = 0;
    /// The response, or its loss, is on its way.
    virtual void end_call(CallFault fault) = 0;
    [[nodiscard]] virtual bool loses_commits() = 0;

    template <class Call>
    std::invoke_result_t<Call> around(Call call, CallKind kind = CallKind::other) {
        const CallFault fault = begin_call(kind);
        if (fault == CallFault::dies_before) throw ProcessDied{};
        if (fault == CallFault::lost_request || fault == CallFault::database_away) {
            end_call(fault);
            throw Unavailable("simulated: the request was lost");
        }
        if constexpr (std::is_void_v<std::invoke_result_t<Call>>) {
            call();
            after(fault);
        } else {
            auto answer = call();
            after(fault);
            return answer;
        }
    }

private:
    void after(CallFault fault) {
        if (fault == CallFault::dies_after) throw ProcessDied{};
        end_call(fault);
        if (fault == CallFault::lost_reply) throw Unavailable("simulated: the reply was lost");
    }
};

/// The database's store as seen by one process.
class FaultyStore final : public Store {
public:
    FaultyStore(World& world, PortUser& user) : world_(world), user_(user) {}
    void transact(const std::function<bool(Transaction&)>& work) override {
        user_.around([&] {
            const bool loses = user_.loses_commits();
            world_.store.transact([&](Transaction& tx) { return work(tx) && !loses; });
        });
    }
    void read(const std::function<void(Transaction&)>& work) override {
        user_.around([&] { world_.store.read(work); });
    }
    [[nodiscard]] bool open_here() override { return world_.store.open_here(); }

private:
    World& world_;
    PortUser& user_;
};

/// The database's queue as seen by one process. Records every effect, even if the process does not
/// learn of it.
class FaultyQueue final : public EventQueue {
public:
    FaultyQueue(World& world, PortUser& user) : world_(world), user_(user) {}
    [[nodiscard]] std::uint32_t shards() const override { return world_.queue->shards(); }
    [[nodiscard]] std::uint32_t claims_at_once() const override {
        return world_.queue->claims_at_once();
    }
    QueuePeek peek(std::span<const Lane> lanes, const DeadInstances& dead) override {
        return user_.around([&] { return world_.queue->peek(lanes, dead); }, CallKind::peek);
    }
    std::vector<Claimed> claim_ready(std::span<const ClaimRequest> requests) override;
    Claimed claim_from_line(const LineRequest& request) override;
    std::vector<Result<void, LeaseLost>> settle(std::span<const Settlement> settlements) override;
    std::vector<Result<void, LeaseLost>> release_claims(
        std::span<const ReleasedClaim> released) override;
    std::vector<EventId> extend(std::span<const Held> held,
                                std::chrono::microseconds lease) override;
    Backlog backlog(std::span<const Lane> lanes) override {
        return user_.around([&] { return world_.queue->backlog(lanes); });
    }
    std::optional<Instant> first_missed(Instant from, Instant until,
                                        std::span<const Lane> lanes) override {
        return user_.around([&] { return world_.queue->first_missed(from, until, lanes); });
    }
    QueueDepth depth() override {
        return user_.around([&] { return world_.queue->depth(); });
    }
    std::optional<Renewal> renew(InstanceId own) override;
    void retire(InstanceId own) override {
        user_.around([&] { world_.queue->retire(own); });
    }

private:
    void record(const Claimed& claimed, std::chrono::microseconds lease, bool from_line = false);
    [[nodiscard]] Step step_of(Op op, EventId id, Version held, bool ok) const;

    World& world_;
    PortUser& user_;
};

}  // namespace sundial::simulation
