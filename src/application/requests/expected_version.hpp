#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/error.hpp"

namespace sundial {

/// What to answer to a caller who insists on `expected` when the row is at `actual`; nothing if
/// they agree, or nobody insists.
[[nodiscard]] inline std::optional<OptimisticLock> refuse_version(Noun noun,
                                                                  std::string_view reference,
                                                                  std::optional<Version> expected,
                                                                  Version actual) {
    if (!expected || *expected == actual) return std::nullopt;
    return OptimisticLock{noun, std::string{reference}, *expected, actual};
}

}  // namespace sundial
