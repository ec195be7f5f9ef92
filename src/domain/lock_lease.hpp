#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/saturate.hpp"

namespace sundial {

/// When the holder of a lock renews it, and when it must consider it lost. Both use the holder's
/// own monotonic clock, independent of the store's clock. A grant requested at one moment lasts at
/// least `ttl` from that moment, however late the response arrives. A plain state machine.
class LockLease {
public:
    using Moment = std::chrono::microseconds;  // of the monotonic clock
    struct Terms {
        std::chrono::microseconds ttl;
        std::chrono::microseconds max_hold;  // counted from the grant, renewals included
    };

    /// Granted by a request sent at `asked` and answered at `answered`.
    LockLease(const Terms& terms, Moment asked, Moment answered)
        : terms_{terms},
          hold_until_{base::later(asked, terms.max_hold)},
          ends_{asked + terms.ttl},
          renew_at_{asked + terms.ttl / 3},
          round_trip_{answered - asked} {}

    /// Early enough that a holder that works until then has stopped before another gets the lock.
    [[nodiscard]] Moment lost_at() const {
        return ends_ - std::max(terms_.ttl / 10, 2 * round_trip_);
    }
    /// When to request the next renewal; nothing if none is left before `lost_at`.
    [[nodiscard]] std::optional<Moment> renew_at() const {
        if (ends_ >= hold_until_ || renew_at_ >= lost_at()) return std::nullopt;
        return renew_at_;
    }
    /// The ttl of a renewal requested now.
    [[nodiscard]] std::chrono::microseconds renew_for(Moment now) const {
        return std::min(terms_.ttl, hold_until_ - now);
    }
    void renewed(Moment asked, Moment answered) {
        ends_ = std::max(ends_, asked + renew_for(asked));
        renew_at_ = asked + terms_.ttl / 3;
        round_trip_ = answered - asked;
    }
    /// The request got no response; repeat it soon.
    void failed(Moment now) { renew_at_ = now + terms_.ttl / 20; }
    /// The store reports that the lease has expired.
    void refused(Moment now) { ends_ = std::min(ends_, now); }

private:
    Terms terms_;
    Moment hold_until_;
    Moment ends_;
    Moment renew_at_;
    std::chrono::microseconds round_trip_;
};

}  // namespace sundial
