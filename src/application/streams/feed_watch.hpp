#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "application/ports/clock.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/mono.hpp"
#include "base/log.hpp"

namespace sundial {

/// Wakes those who wait for something new in the feed: by hints of appends here, and every tick by
/// a look at what others have appended. Looks only while somebody waits. Thread-safe.
class FeedWatch {
public:
    /// The ports outlive the watch.
    FeedWatch(Feed& feed, const MonotonicClock& monotonic, base::Log& log,
              std::chrono::microseconds tick);
    ~FeedWatch();
    FeedWatch(const FeedWatch&) = delete;
    FeedWatch& operator=(const FeedWatch&) = delete;

    /// Looks and wakes until stop(). Never throws.
    void run();
    /// From any thread: wakes everybody, and from now on whoever comes to wait at once.
    void stop();
    /// There is no use in waiting any more.
    [[nodiscard]] bool stopped() const;

    /// One wait, from construction to destruction; may outlive the watch.
    class Wait {
    public:
        virtual ~Wait() = default;
    };
    /// `wake` is called once, on any thread and perhaps before this returns: there is something
    /// past `after`, or the watch is at its end. It may come just as the wait is let go.
    [[nodiscard]] std::shared_ptr<Wait> wait(std::uint64_t after, std::function<void()> wake);

    /// Something was appended here.
    void appended();

    /// Looks if it is time to. Returns when it will be; nothing while nobody waits. Only for
    /// whoever drives the watch alone.
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
