#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "application/ports/clock.hpp"
#include "application/ports/pull_queue.hpp"

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

}  // namespace sundial
