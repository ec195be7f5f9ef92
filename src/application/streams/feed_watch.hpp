#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "application/ports/clock.hpp"
#include "application/ports/event_store.hpp"
#include "base/log.hpp"

namespace sundial {

/// Wakes callers that wait for new events in the feed: after hints of appends here, and after a
/// read every tick that finds appends of other instances. Reads only while a caller waits.
/// Thread-safe.
class FeedWatch {
public:
    /// The ports outlive the watch.
    FeedWatch(Feed& feed, const MonotonicClock& monotonic, base::Log& log,
              std::chrono::microseconds tick);
    ~FeedWatch();
    FeedWatch(const FeedWatch&) = delete;
    FeedWatch& operator=(const FeedWatch&) = delete;

    /// Reads and wakes until stop(). Never throws.
    void run();
    /// From any thread. Wakes all callers; later waits end at once.
    void stop();
    /// No wait lasts any more.
    [[nodiscard]] bool stopped() const;

    /// One wait, from construction to destruction; may outlive the watch.
    class Wait {
    public:
        virtual ~Wait() = default;
    };
    /// `wake` is called once, on any thread and perhaps before this returns: there are events after
    /// `after`, or the watch has stopped. The call can overlap with the destruction of the wait.
    [[nodiscard]] std::shared_ptr<Wait> wait(std::uint64_t after, std::function<void()> wake);

    /// Events were appended here.
    void appended();

    /// Reads if a read is due. Returns when the next one is; empty while no caller waits. Only for
    /// a caller that drives the watch alone.
    std::optional<Mono> turn();

private:
    struct State;
    class Entry;

    Feed& feed_;
    const MonotonicClock& monotonic_;
    base::Log& log_;
    std::shared_ptr<State> state_;
};

}  // namespace sundial
