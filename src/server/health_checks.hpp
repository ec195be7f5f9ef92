#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "adapters/http/api/health_routes.hpp"
#include "application/access/api_key_ring.hpp"

/// What the health of an instance is made of.
namespace sundial::server {

/// Within two seconds, or requests had better go elsewhere.
[[nodiscard]] http::HealthCheck database_check(bool answered, std::chrono::microseconds after);
[[nodiscard]] http::HealthCheck claim_loop_check(bool stopping, bool turning);
/// Bytes that are left; nothing if nobody knows. That it is full is told by whoever cannot write.
[[nodiscard]] http::HealthCheck disk_check(std::optional<std::uintmax_t> free);
/// This machine's clock less the database's, by which all is decided: a difference only warns.
[[nodiscard]] http::HealthCheck clock_check(std::chrono::microseconds ahead);

/// Warns when an API key expires soon. The route is open, so the check names no key.
[[nodiscard]] http::HealthCheck api_keys_check(const ExpiringKeys& expiring);

[[nodiscard]] std::optional<std::uintmax_t> free_space_beside(const std::string& file);

}  // namespace sundial::server
