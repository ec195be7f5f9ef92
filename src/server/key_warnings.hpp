#pragma once

#include <map>
#include <vector>

#include "application/access/api_key_ring.hpp"
#include "base/log.hpp"

namespace sundial::server {

/// Decides when to log that keys expire soon: once a day for each key.
class KeyWarnings {
public:
    /// The `api_key.expiring` lines to write now.
    [[nodiscard]] std::vector<base::LogLine> due(const ExpiringKeys& expiring);

private:
    std::map<ApiKeyId, Instant> warned_;
};

}  // namespace sundial::server
