#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "application/ports/clock.hpp"
#include "application/ports/delivery.hpp"
#include "application/ports/send_permit.hpp"
#include "simulation/world.hpp"

namespace sundial::simulation {

/// The network's view of the sending process.
class Sender {
public:
    virtual ~Sender() = default;
    [[nodiscard]] virtual std::uint32_t number() const = 0;
    /// Runs `what` when the process is neither dead nor frozen; never if it is dead.
    virtual void when_awake(std::function<void()> what) = 0;
    /// The same at `when` or later; does not wake its loop.
    virtual void when_awake_at(Time when, std::function<void()> what) = 0;
};

/// The outbound HTTP of one process, and the receivers at the other end.
class Network final : public Delivery {
public:
    Network(World& world, Sender& sender, const MonotonicClock& clock, const SendPermit& permit)
        : world_(world), sender_(sender), clock_(clock), permit_(permit) {}
    void start(DeliveryRequest request, std::function<void(Outcome)> done) override;
    void abandon(const Event& event) override;
    /// Closes all connections, because the process has died.
    void cut();
    [[nodiscard]] bool idle() const { return exchanges_.empty(); }

private:
    struct Exchange {
        DeliveryRequest request;
        std::function<void(Outcome)> done;
        Time began;
        bool arrived = false;  // at the receiver
        bool over = false;     // answered, or closed by the sender
        Reply reply{};
    };
    using Shared = std::shared_ptr<Exchange>;

    void arrive(const Shared& exchange);
    void answer(const Shared& exchange);
    /// The sender gives up.
    void close(const Shared& exchange, const char* why);
    void finish(const Shared& exchange, Outcome outcome);
    [[nodiscard]] Step step_of(Op op, const Exchange& exchange) const;

    /// Ends the exchange when the process is no longer permitted to send, which it notices a little
    /// later.
    void watch(const Shared& exchange);

    World& world_;
    Sender& sender_;
    const MonotonicClock& clock_;
    const SendPermit& permit_;
    std::map<std::uint64_t, Shared> exchanges_;  // exchanges in progress, by number
    std::uint64_t count_ = 0;
};

}  // namespace sundial::simulation
