#pragma once

#include <memory>
#include <string>

#include "domain/time/zone.hpp"

namespace sundial::zones {

/// The zone in the compiled form `tzif` (RFC 9636); null if `tzif` is invalid. Thread-safe. cctz
/// keeps what it has parsed until the process ends. Each content is parsed once, regardless of how
/// often and under how many names it is loaded.
[[nodiscard]] std::shared_ptr<const Zone> parse_zone(std::string name, const std::string& tzif);

}  // namespace sundial::zones
