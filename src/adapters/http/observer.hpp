#pragma once

#include <chrono>
#include <cstdint>
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

/// The resource that ran short when the server refused a request, or cut off a client.
enum class Shortage : std::uint8_t {
    handlers,      // the queue in front of the handlers is full
    heavy_seats,   // a heavy request waited too long for a seat
    unsent_bytes,  // the client has too many unread answers
    slow_reader    // the client did not read fast enough and was disconnected
};

/// Counts requests. Thread-safe; called on I/O threads, so it must not block.
class RequestObserver {
public:
    virtual ~RequestObserver() = default;
    virtual void answered(const AnsweredRequest& request) = 0;
    virtual void note_shortage(Shortage of) = 0;
};

}  // namespace sundial::http
