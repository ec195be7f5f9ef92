#pragma once

#include <cstdint>

namespace sundial::system {

/// The number of this process. A forked child has another one.
[[nodiscard]] std::int64_t process_id();

}  // namespace sundial::system
