#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/webhook/signature.hpp"
#include "application/ports/delivery.hpp"

namespace sundial::webhook {

using HeaderList = std::vector<HeaderText>;

/// The secrets of an endpoint, decrypted for one attempt.
struct Credentials {
    std::vector<OpenKey> keys;  // without one nothing is signed
    HeaderList headers;         // the user's own
};

/// All headers of one try that is sent at `request.now` (reliability 7), the user's own last.
[[nodiscard]] HeaderList request_headers(const DeliveryRequest& request, std::string_view body,
                                         const Credentials& credentials,
                                         std::string_view user_agent);

}  // namespace sundial::webhook
