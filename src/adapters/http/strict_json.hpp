#pragma once

#include <optional>
#include <string_view>

#include "adapters/http/json.hpp"

namespace sundial::http {

/// The fault that makes `text` unacceptable as JSON; empty if there is none.
[[nodiscard]] std::optional<Problem> fault_in_json(std::string_view text, const JsonLimits& limits);

}  // namespace sundial::http
