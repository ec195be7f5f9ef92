#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace sundial::cli {

/// A JSON value as requests need it, independent of any library.
struct JsonValue {
    using List = std::vector<JsonValue>;
    using Object = std::vector<std::pair<std::string, JsonValue>>;  // in the order of the text; no
                                                                    // duplicate names
    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List,
                 Object>
        value = nullptr;
};

/// Null if `object` has no member of that name.
[[nodiscard]] const JsonValue* find_member(const JsonValue::Object& object, std::string_view name);

/// Parses one JSON value (RFC 8259) of well-formed UTF-8, nested at most 64 deep, without duplicate
/// member names. The error describes the defect of the text.
[[nodiscard]] base::Result<JsonValue, std::string> parse_json(std::string_view text);

}  // namespace sundial::cli
