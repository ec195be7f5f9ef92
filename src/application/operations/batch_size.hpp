#pragma once

#include <cstddef>

namespace sundial {

/// Rows in one transaction of a long job: few enough that claims skip them only briefly.
inline constexpr std::size_t batch_size = 200;
/// Events that a dry run shows.
inline constexpr std::size_t max_samples = 5;

}  // namespace sundial
