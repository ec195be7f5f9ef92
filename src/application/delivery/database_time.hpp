#pragma once

#include <chrono>
#include <optional>

#include "application/ports/clock.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// An estimate of the database's clock from the instants that calls have read there. Each was read
/// between the call's sending and its answer. Between readings the estimate advances with the local
/// clock.
class DatabaseTime {
public:
    /// A call that was sent at `asked` and answered at `answered` read `then`.
    void read(Instant then, Mono asked, Mono answered);

    /// If the clock stands still, this is its time.
    [[nodiscard]] Instant last_read() const { return then_; }
    /// Never ahead of the database's clock: assumes that the last reading happened when its answer
    /// arrived.
    [[nodiscard]] Instant at(Mono now) const { return then_ + (now - answered_); }
    /// The time that a call sent now reads, if it is as fast as the fastest call of the last two to
    /// four seconds.
    [[nodiscard]] Instant for_a_call(Mono now) const;

private:
    using Offset = std::chrono::microseconds;  // of the database's clock to the local one

    Instant then_{};
    Mono answered_{};
    // The smallest offset between a reading and its sending: since `since_`, and in the period
    // before.
    Offset least_{}, least_before_{};
    std::optional<Mono> since_;
};

}  // namespace sundial
