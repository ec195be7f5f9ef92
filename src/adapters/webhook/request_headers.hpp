#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "application/ports/delivery.hpp"

namespace sundial::webhook {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

/// All headers of one try (reliability 7), the user's own last; `key` signs, and is empty where
/// nothing is signed.
[[nodiscard]] HeaderList request_headers(const DeliveryRequest& request, std::string_view key,
                                         std::string_view user_agent);

}  // namespace sundial::webhook
