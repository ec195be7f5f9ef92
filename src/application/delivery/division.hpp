#pragma once

#include <array>
#include <cstdint>

#include "application/ports/ids.hpp"

/// The division of a claim among priorities by chance, for claimers that remember nothing between
/// claims.
namespace sundial {

using Division = std::array<std::uint32_t, 4>;
using MayHaveMore = std::array<bool, 4>;  // which priorities may have more events

[[nodiscard]] bool any(const MayHaveMore& may_have_more);

/// Divides `total` among the hungry priorities 8 : 4 : 2 : 1, so that LOW never starves. Chance
/// decides the remainder, so that the division is fair to each priority over many claims.
[[nodiscard]] Division divided(std::uint32_t total, const MayHaveMore& may_have_more,
                               Random& random);

}  // namespace sundial
