#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/webhook/signature.hpp"
#include "application/ports/delivery.hpp"

namespace sundial::webhook {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

/// All headers of one attempt that is sent at `request.now` (reliability 7), the user's own last.
/// Without `keys` the request is not signed.
[[nodiscard]] HeaderList request_headers(const DeliveryRequest& request, std::string_view body,
                                         std::span<const OpenKey> keys,
                                         std::string_view user_agent);

}  // namespace sundial::webhook
