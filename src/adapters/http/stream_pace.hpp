#pragma once

#include <algorithm>
#include <chrono>

#include "application/ports/clock.hpp"
#include "application/transactions/retrying.hpp"

namespace sundial::http {

/// When a stream asks for its next piece, and when its client gets a sign of life. While pieces
/// cannot be read, because the database has no free connection for example, the stream asks again
/// with the delays of `Backoff` and the client keeps its connection. One stream, one thread.
class StreamPace {
public:
    /// Proxies and clients close a connection that is silent for a minute.
    static constexpr std::chrono::seconds idle_time{15};
    /// Maximum time until a stream that waits to ask again notices that the server stops.
    static constexpr std::chrono::milliseconds stop_check{500};

    /// `spread` in [0, 1) differs between streams, so that they do not ask again together.
    StreamPace(double spread, Mono now) : spread_(spread), sent_(now) {}

    [[nodiscard]] bool may_ask(Mono now) const { return backoff_.over(now); }
    /// The latest piece could not be read.
    [[nodiscard]] bool failing() const { return backoff_.failing(); }
    void fail(Mono now) { backoff_.fail(spread_, now); }
    void succeed() { backoff_.succeed(); }

    /// Bytes were sent.
    void sent(Mono now) { sent_ = now; }
    /// The client has got nothing for so long that it gets a sign of life.
    [[nodiscard]] bool idle(Mono now) const { return now >= sent_ + idle_time; }
    /// The end of a wait that begins now, unless news ends it sooner.
    [[nodiscard]] Mono until(Mono now) const {
        const Mono sign_of_life = std::max(now, sent_ + idle_time);
        if (!failing()) return sign_of_life;
        return std::min({sign_of_life, backoff_.until(), now + stop_check});
    }

private:
    const double spread_;
    Backoff backoff_;
    Mono sent_;
};

}  // namespace sundial::http
