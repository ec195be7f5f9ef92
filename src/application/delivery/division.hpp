#pragma once

#include <array>
#include <cstdint>

#include "application/ports/ids.hpp"

/// Divides a claim among priorities at random, for claimers that keep no state between claims.
namespace sundial {

using Division = std::array<std::uint32_t, 4>;
using MayHaveMore = std::array<bool, 4>;  // which priorities may have more events

[[nodiscard]] bool any(const MayHaveMore& may_have_more);

/// Divides `total` 8 : 4 : 2 : 1 among the priorities that may have more events, so that LOW never
/// starves. The remainder is distributed at random, so that the division is fair over many claims.
[[nodiscard]] Division divided(std::uint32_t total, const MayHaveMore& may_have_more,
                               Random& random);

}  // namespace sundial
