#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/error.hpp"

namespace sundial {

/// The error for a caller that requires version `expected` of a row at version `actual`. Empty if
/// they are equal or no version is required.
[[nodiscard]] inline std::optional<OptimisticLock> refuse_version(Noun noun,
                                                                  std::string_view reference,
                                                                  std::optional<Version> expected,
                                                                  Version actual) {
    if (!expected || *expected == actual) return std::nullopt;
    return OptimisticLock{noun, std::string{reference}, *expected, actual};
}

}  // namespace sundial
