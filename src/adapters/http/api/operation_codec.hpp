#pragma once

#include <string>

#include "domain/operation.hpp"

/// Operations as JSON.
namespace sundial::http {

[[nodiscard]] std::string operation_json(const sundial::Operation& operation);

}  // namespace sundial::http
