#pragma once

#include <optional>
#include <string_view>

#include "adapters/http/json.hpp"

namespace sundial::http {

/// What keeps `text` from being JSON as we read it; nothing if all is well.
[[nodiscard]] std::optional<Problem> fault_in_json(std::string_view text, const JsonLimits& limits);

}  // namespace sundial::http
