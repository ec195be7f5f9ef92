#pragma once

#include <cstddef>

#include "application/ports/clock.hpp"

namespace sundial {

/// How many events to hold beyond those being sent, so that slots do not idle until the next claim:
/// as many as attempts end in about 50 ms. Zero while attempts are slow or few.
class ClaimAhead {
public:
    /// An attempt ended.
    void ended(Mono now);
    [[nodiscard]] std::size_t events(Mono now) const;

private:
    Mono window_began_{};
    std::size_t in_window_ = 0;
    std::size_t in_window_before_ = 0;
};

}  // namespace sundial
