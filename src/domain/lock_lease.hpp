#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/saturate.hpp"

namespace sundial {

/// When the holder of a lock renews it, and from when on it must count it as lost: by the holder's
/// own monotonic clock, which knows nothing of the store's. A grant asked for at one moment ends no
/// sooner than `ttl` after it, whenever the answer came. A plain state machine.
class LockLease {
public:
    using Moment = std::chrono::microseconds;  // of the monotonic clock
    struct Terms {
        std::chrono::microseconds ttl;
        std::chrono::microseconds max_hold;  // counted from the grant; it is never renewed beyond
    };

    /// Granted by a request that was sent at `asked` and answered at `answered`.
    LockLease(const Terms& terms, Moment asked, Moment answered)
        : terms_{terms},
          hold_until_{base::later(asked, terms.max_hold)},
          ends_{asked + terms.ttl},
          renew_at_{asked + terms.ttl / 3},
          round_trip_{answered - asked} {}

    /// Before the end: who works on up to here has stopped when another is granted it.
    [[nodiscard]] Moment lost_at() const {
        return ends_ - std::max(terms_.ttl / 10, 2 * round_trip_);
    }
    /// When to ask for the next renewal; nothing if there is none before it is lost.
    [[nodiscard]] std::optional<Moment> renew_at() const {
        if (ends_ >= hold_until_ || renew_at_ >= lost_at()) return std::nullopt;
        return renew_at_;
    }
    /// For how long, if it is asked for now.
    [[nodiscard]] std::chrono::microseconds renew_for(Moment now) const {
        return std::min(terms_.ttl, hold_until_ - now);
    }
    void renewed(Moment asked, Moment answered) {
        ends_ = std::max(ends_, asked + renew_for(asked));
        renew_at_ = asked + terms_.ttl / 3;
        round_trip_ = answered - asked;
    }
    /// Nobody answered; it is asked again soon.
    void failed(Moment now) { renew_at_ = now + terms_.ttl / 20; }
    /// The store says that it is over.
    void refused(Moment now) { ends_ = std::min(ends_, now); }

private:
    Terms terms_;
    Moment hold_until_;
    Moment ends_;
    Moment renew_at_;
    std::chrono::microseconds round_trip_;
};

}  // namespace sundial
