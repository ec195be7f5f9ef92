#pragma once

#include <string>

namespace sundial {

/// The code of the error in a Result, or "" if it has none.
std::string code_of(const auto& result) { return result ? "" : result.error().code; }
/// The detail of the error in a Result, or "" if it has none.
std::string detail_of(const auto& result) { return result ? "" : result.error().detail; }

}  // namespace sundial
