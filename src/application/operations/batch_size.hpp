#pragma once

#include <cstddef>

namespace sundial {

/// Rows of one transaction of a long job: few enough that claims skip them for a moment only.
inline constexpr std::size_t batch_size = 200;
/// Events that a dry run shows.
inline constexpr std::size_t max_samples = 5;

}  // namespace sundial
