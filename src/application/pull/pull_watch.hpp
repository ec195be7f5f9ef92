#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/pull_queue.hpp"
#include "base/log.hpp"

namespace sundial {

/// Tracks the callers that wait for work of PULL endpoints, and when to read the queue for them: a
/// state machine without I/O, clock or thread. One read serves all waiting callers. It wakes only
/// as many callers as there are events.
class PullWaits {
public:
    using Number = std::uint64_t;
    using Wake = std::function<void()>;

    /// `tick`: maximum age of a read. `stands_still`: a test clock, whose time does not pass by
    /// itself.
    PullWaits(std::chrono::microseconds tick, bool stands_still)
        : tick_(tick), stands_still_(stands_still) {}

    /// `wake` is called once, when an event may be claimable there. The caller that has waited
    /// longest is woken first. For `blocked`, the limits of the endpoint allow no claim: until then
    /// it is read only after a hint.
    Number add(EndpointId endpoint, Wake wake, Mono now, std::chrono::microseconds blocked = {});
    void remove(Number number) { waiting_.erase(number); }
    /// Some event may be claimable at `due`.
    void hint(Instant due, Mono now);

    /// When to read next; empty while no caller waits.
    [[nodiscard]] std::optional<Mono> peek_at() const;
    /// The endpoints to read, each once.
    [[nodiscard]] std::vector<EndpointId> endpoints(Mono now) const;
    /// The result of a read. Returns the callers to wake; they no longer wait.
    [[nodiscard]] std::vector<Wake> note_peek(const PullPeek& peeked, Mono now);
    void peek_failed(Mono now);
    /// Returns all waiting callers.
    [[nodiscard]] std::vector<Wake> end();

private:
    struct Waiting {
        EndpointId endpoint;
        Wake wake;
    };
    [[nodiscard]] std::vector<Wake> take(EndpointId endpoint, std::size_t limit);
    /// Reads as soon as the minimum pause after the last read allows.
    void soon(Mono now);

    std::chrono::microseconds tick_;
    bool stands_still_;
    std::map<Number, Waiting> waiting_;
    std::map<EndpointId, Mono> blocked_;  // until then
    Number last_number_ = 0;
    Mono peek_at_{};
    std::optional<Mono> peeked_at_;
    Instant database_then_{};  // at that read
};

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
