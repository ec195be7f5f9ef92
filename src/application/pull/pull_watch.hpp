#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/pull_queue.hpp"
#include "base/log.hpp"

namespace sundial {

/// Wakes pull workers that wait for work: at the next claimable instant of their endpoint, after
/// hints, and after a read every tick that finds events stored by other instances. Reads only while
/// a worker waits. Thread-safe.
class PullWatch final : public Wakeups {
public:
    /// The ports outlive the watch.
    PullWatch(PullQueue& queue, const MonotonicClock& monotonic, base::Log& log,
              std::chrono::microseconds tick, bool clock_stands_still);
    ~PullWatch() override;
    PullWatch(const PullWatch&) = delete;
    PullWatch& operator=(const PullWatch&) = delete;

    /// Reads and wakes until stop(). Never throws.
    void run();
    /// From any thread. Wakes all workers; later waits end at once.
    void stop();
    /// No wait lasts any more.
    [[nodiscard]] bool stopped() const;

    /// One worker's wait, from construction to destruction; may outlive the watch.
    class Wait {
    public:
        virtual ~Wait() = default;
    };
    /// `wake` is called once, on any thread and perhaps before this returns: an event may be
    /// claimable at the endpoint, or the watch has stopped. The call can overlap with the
    /// destruction of the wait. For `blocked`, the limits of the endpoint allow no claim.
    [[nodiscard]] std::shared_ptr<Wait> wait(EndpointId endpoint, std::function<void()> wake,
                                             std::chrono::microseconds blocked = {});

    void due_at(Instant when) override;

    /// Reads if a read is due. Returns when the next one is. Only for a caller that drives the
    /// watch alone.
    std::optional<Mono> turn();

private:
    struct State;
    class Entry;
    [[nodiscard]] Mono now() const { return monotonic_.now(); }

    PullQueue& queue_;
    const MonotonicClock& monotonic_;
    base::Log& log_;
    std::shared_ptr<State> state_;
};

}  // namespace sundial
