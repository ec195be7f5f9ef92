#pragma once

#include <string>

#include "application/events/explain_event.hpp"

/// Explanations as JSON.
namespace sundial::http {

[[nodiscard]] std::string explanation_json(const Explanation& explanation);

}  // namespace sundial::http
