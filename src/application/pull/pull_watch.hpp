#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "application/ports/clock.hpp"
#include "application/ports/mono.hpp"
#include "application/ports/pull_queue.hpp"
#include "application/ports/wakeups.hpp"
#include "base/log.hpp"

namespace sundial {

/// Wakes pull workers that wait for work: by the next claimable instant of their endpoint, by
/// hints, and every tick by a look at what other instances have stored. Looks only while somebody
/// waits. Thread-safe.
class PullWatch final : public Wakeups {
public:
    /// The ports outlive the watch.
    PullWatch(PullQueue& queue, const MonotonicClock& monotonic, base::Log& log,
              std::chrono::microseconds tick, bool clock_stands_still);
    ~PullWatch() override;
    PullWatch(const PullWatch&) = delete;
    PullWatch& operator=(const PullWatch&) = delete;

    /// Looks and wakes until stop(). Never throws.
    void run();
    /// From any thread: wakes everybody, and from now on whoever comes to wait at once.
    void stop();
    /// There is no use in waiting any more.
    [[nodiscard]] bool stopped() const;

    /// One worker's wait, from construction to destruction; may outlive the watch.
    class Wait {
    public:
        virtual ~Wait() = default;
    };
    /// `wake` is called once, on any thread and perhaps before this returns: something may be
    /// claimable at the endpoint, or the watch is at its end. It may come just as the wait is let
    /// go.
    [[nodiscard]] std::shared_ptr<Wait> wait(EndpointId endpoint, std::function<void()> wake);

    void due_at(Instant when) override;

    /// Looks if it is time to. Returns when it will be. Only for whoever drives the watch alone.
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
