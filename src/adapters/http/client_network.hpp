#pragma once

#include <string>

namespace sundial::http {

/// The name under which limits count a client: its IPv4 address, or the /64 of its IPv6 address,
/// because one client usually has a whole /64. `::ffff:192.0.2.1` counts as 192.0.2.1. Returns a
/// text that is not an address unchanged.
[[nodiscard]] std::string network_of(const std::string& address);

}  // namespace sundial::http
