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

/// A JSON value as requests know them, apart from any library.
struct JsonValue {
    using List = std::vector<JsonValue>;
    using Object = std::vector<std::pair<std::string, JsonValue>>;  // as written; no name twice
    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List,
                 Object>
        value = nullptr;
};

/// Null where `object` has no member of that name.
[[nodiscard]] const JsonValue* find_member(const JsonValue::Object& object, std::string_view name);

/// Reads one JSON value (RFC 8259) of well-formed UTF-8, nested at most 64 deep, no member named
/// twice. The error says what is wrong with the text.
[[nodiscard]] base::Result<JsonValue, std::string> parse_json(std::string_view text);

}  // namespace sundial::cli
