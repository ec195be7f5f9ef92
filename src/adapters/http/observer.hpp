#pragma once

#include <chrono>
#include <string_view>

namespace sundial::http {

/// An answered request. The answer came from a handler or from the server itself.
struct AnsweredRequest {
    std::string_view method;  // "OTHER" for a method that HTTP does not define, to keep the number
                              // of labels small
    std::string_view route;   // the pattern; "none" if none matched
    int status;
    std::chrono::nanoseconds duration;  // from the end of the head until the response is ready
};

/// Counts requests. Thread-safe; called on I/O threads, so it must not block.
class RequestObserver {
public:
    virtual ~RequestObserver() = default;
    virtual void answered(const AnsweredRequest& request) = 0;
};

}  // namespace sundial::http
