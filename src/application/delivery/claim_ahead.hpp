#pragma once

#include <cstddef>

#include "application/ports/mono.hpp"

namespace sundial {

/// How many events to hold beyond those whose tries are under way, so that nobody waits for the
/// next claim: what comes to its end in about 50 ms. Nothing while tries are slow or few.
class ClaimAhead {
public:
    /// A try came to its end.
    void ended(Mono now);
    [[nodiscard]] std::size_t events(Mono now) const;

private:
    Mono window_began_{};
    std::size_t in_window_ = 0;
    std::size_t in_window_before_ = 0;
};

}  // namespace sundial
