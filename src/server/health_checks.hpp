#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "adapters/http/api/health_routes.hpp"
#include "application/access/api_key_ring.hpp"

/// The checks behind the health of an instance.
namespace sundial::server {

/// Fails if the database takes longer than two seconds: requests should then go to another
/// instance.
[[nodiscard]] http::HealthCheck database_check(bool answered, std::chrono::microseconds after);
[[nodiscard]] http::HealthCheck claim_loop_check(bool stopping, bool turning);
/// `free`: bytes left; empty if unknown. A full disk is reported by the database, whose write
/// fails.
[[nodiscard]] http::HealthCheck disk_check(std::optional<std::uintmax_t> free);
/// This machine's clock minus the database's clock. The database's clock decides everything, so a
/// difference is only a warning.
[[nodiscard]] http::HealthCheck clock_check(std::chrono::microseconds ahead);

/// Warns when an API key expires soon. The route is open, so the check names no key.
[[nodiscard]] http::HealthCheck api_keys_check(const ExpiringKeys& expiring);

[[nodiscard]] std::optional<std::uintmax_t> free_space_of(const std::string& file);

}  // namespace sundial::server
