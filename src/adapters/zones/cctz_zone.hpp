#pragma once

#include <memory>
#include <string>

#include "domain/time/zone.hpp"

namespace sundial::zones {

/// The zone that the compiled form `tzif` (RFC 9636) describes; null if it is none. Thread-safe.
/// cctz keeps what it has parsed until the process ends: once for each content, however often it
/// is loaded and under however many names.
[[nodiscard]] std::shared_ptr<const Zone> parse_zone(std::string name, const std::string& tzif);

}  // namespace sundial::zones
