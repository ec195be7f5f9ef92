#pragma once

#include <string>

#include "application/ports/operation_repository.hpp"
#include "domain/operation.hpp"

/// Operations as JSON.
namespace sundial::http {

[[nodiscard]] std::string operation_json(const sundial::Operation& operation);
[[nodiscard]] std::string failure_json(const NumberedFailure& failure);

}  // namespace sundial::http
