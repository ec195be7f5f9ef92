#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "adapters/http/schema.hpp"
#include "domain/api_key.hpp"

/// The one table of access rules. A route without a line here cannot be served. The OpenAPI
/// document states the same rules (`security`).
namespace sundial::http {

struct AccessRule {
    std::string_view method;
    std::string_view pattern;
    std::optional<Role> role;  // minimum role; empty: open to every caller, without a key
    /// Whether its read-only requests can be so expensive that only a few may run at once.
    bool heavy = false;
};

[[nodiscard]] std::span<const AccessRule> access_rules();
/// The rule of an operation; null if none exists.
[[nodiscard]] const AccessRule* access_rule(const Operation& operation);

}  // namespace sundial::http
