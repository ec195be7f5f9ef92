#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "adapters/http/message.hpp"

namespace sundial::http {

/// The inputs of a response head besides the response.
struct AnswerContext {
    std::string_view correlation_id;
    std::chrono::sys_seconds now;
    bool http_1_1 = true;
    bool keep_alive = true;
};

/// Status line and header fields including the empty line, in wire format.
[[nodiscard]] std::string response_head(const Response& response, const AnswerContext& context);

/// IMF-fixdate: "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 5.6.7).
[[nodiscard]] std::string http_date(std::chrono::sys_seconds time);

}  // namespace sundial::http
