#pragma once

#include <functional>
#include <string>
#include <vector>

#include "adapters/http/message.hpp"
#include "adapters/http/web_origin.hpp"

namespace sundial::http {

/// Cross-origin resource sharing (Fetch standard): pages of the origins that the operator lists may
/// read the answers of the API. They need a key like any client; cookies are ignored. Thread-safe.
class Cors {
public:
    /// Throws CannotStart for an invalid origin.
    explicit Cors(const std::vector<std::string>& origins);

    /// The result of `answer` with the CORS headers for the page, or the answer to its preflight.
    [[nodiscard]] Response answer(Request request,
                                  const std::function<Response(Request)>& answer) const;

private:
    [[nodiscard]] bool allows(const Request& request) const;

    std::vector<WebOrigin> origins_;
};

}  // namespace sundial::http
