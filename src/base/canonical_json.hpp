#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sundial::base {

/// Returns the same text for all texts of one JSON value (RFC 8259): no white space, members sorted
/// by name (byte by byte), and one way to escape strings. Numbers stay as they were written: 1 and
/// 1.0 are two values. Empty if `json` is not one value, is nested deeper than 64, names a member
/// twice, or has a string that is not UTF-8.
[[nodiscard]] std::optional<std::string> canonical_json(std::string_view json);

}  // namespace sundial::base
