#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "application/ports/mono.hpp"
#include "application/ports/pull_queue.hpp"

namespace sundial {

/// Who waits for work of which PULL endpoint, and when to look whether there is some: a state
/// machine without I/O, clock or thread. One look serves all who wait, and wakes no more of them
/// than there is work for.
class PullWaits {
public:
    using Number = std::uint64_t;
    using Wake = std::function<void()>;

    /// `tick`: how long a look may be old. `stands_still`: a test clock, whose time does not pass
    /// by itself.
    PullWaits(std::chrono::microseconds tick, bool stands_still)
        : tick_(tick), stands_still_(stands_still) {}

    /// `wake` is called once, when something may be claimable there. Whoever waits longest is
    /// first.
    Number add(EndpointId endpoint, Wake wake, Mono now);
    void remove(Number number) { waiting_.erase(number); }
    /// Some event may be claimable at `due`.
    void hint(Instant due, Mono now);

    /// When to look next; nothing while nobody waits.
    [[nodiscard]] std::optional<Mono> look_at() const;
    /// At which endpoints, each once.
    [[nodiscard]] std::vector<EndpointId> endpoints() const;
    /// What a look at them found. Returns whom to wake; they wait no longer.
    [[nodiscard]] std::vector<Wake> looked(const PullHorizon& horizon, Mono now);
    void look_failed(Mono now);
    /// Everybody.
    [[nodiscard]] std::vector<Wake> end();

private:
    struct Waiting {
        EndpointId endpoint;
        Wake wake;
    };
    [[nodiscard]] std::vector<Wake> take(EndpointId endpoint, std::size_t most);
    /// As soon as may be after the last look.
    void soon(Mono now);

    std::chrono::microseconds tick_;
    bool stands_still_;
    std::map<Number, Waiting> waiting_;
    Number last_number_ = 0;
    Mono look_at_{};
    std::optional<Mono> looked_at_;
    Instant database_then_{};  // at that look
};

}  // namespace sundial
