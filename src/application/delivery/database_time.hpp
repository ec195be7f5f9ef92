#pragma once

#include <chrono>
#include <optional>

#include "application/ports/mono.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// The database's clock, as one caller knows it from what calls have read there: each at some
/// moment between when it was sent and when it was answered. Between readings it goes as ours does.
class DatabaseTime {
public:
    /// A call that was sent at `asked` and answered at `answered` read `then`.
    void read(Instant then, Mono asked, Mono answered);

    /// Of a clock that stands still it is the time.
    [[nodiscard]] Instant last_read() const { return then_; }
    /// Never ahead of it: what the last reading was when its answer came.
    [[nodiscard]] Instant at(Mono now) const { return then_ + (now - answered_); }
    /// What a call reads that is sent now, as early as the quickest of late: calls of the last two
    /// to four seconds.
    [[nodiscard]] Instant for_a_call(Mono now) const;

private:
    using Offset = std::chrono::microseconds;  // of its clock to ours

    Instant then_{};
    Mono answered_{};
    // The least by which a reading was ahead of its sending: since `since_`, and in the stretch
    // before that.
    Offset least_{}, least_before_{};
    std::optional<Mono> since_;
};

}  // namespace sundial
