#pragma once

#include <chrono>
#include <string_view>

namespace sundial::http {

/// A request that has been answered, by a handler or by the server itself.
struct AnsweredRequest {
    std::string_view method;  // "OTHER" for one that HTTP does not know: labels stay few
    std::string_view route;   // the pattern; "none" if none matched
    int status;
    std::chrono::nanoseconds duration;  // from the end of its head to the answer being ready
};

/// Counts requests. Thread-safe; called on I/O threads, so it must not block.
class RequestObserver {
public:
    virtual ~RequestObserver() = default;
    virtual void answered(const AnsweredRequest& request) = 0;
};

}  // namespace sundial::http
