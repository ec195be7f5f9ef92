#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "adapters/http/schema.hpp"
#include "domain/api_key.hpp"

/// Who may use which route: the one table. What stands in no line of it cannot be served at all,
/// and the OpenAPI document says the same (`security`).
namespace sundial::http {

struct AccessRule {
    std::string_view method;
    std::string_view pattern;
    std::optional<Role> role;  // at least; none: open to everybody, without a key
};

[[nodiscard]] std::span<const AccessRule> access_rules();
/// The rule of an operation; null if there is none.
[[nodiscard]] const AccessRule* access_rule(const Operation& operation);

}  // namespace sundial::http
