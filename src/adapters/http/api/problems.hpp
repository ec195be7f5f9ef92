#pragma once

#include "adapters/http/problem.hpp"
#include "domain/error.hpp"

namespace sundial::http {

/// What the API says of each error of a use case. A version that did not match was asked for by
/// If-Match: 412.
[[nodiscard]] Problem problem_of(const Error& error);
/// For a cursor that is not of this list.
[[nodiscard]] Problem invalid_cursor();

}  // namespace sundial::http
