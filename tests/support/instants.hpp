#pragma once

#include <string_view>

#include "domain/time/text.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// The instant that an RFC 3339 text names.
[[nodiscard]] inline Instant at(std::string_view text) { return parse_instant(text)->instant; }

}  // namespace sundial
