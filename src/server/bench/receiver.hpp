#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "domain/time/types.hpp"

namespace sundial::bench {

/// A receiver of webhooks on a free port of the loopback interface, on its own thread: answers 204
/// to every request, as fast as it can.
class Receiver {
public:
    /// Called for each request, on the receiver's thread, with the event's idempotency key and the
    /// time at which its first bytes were read.
    using Received = std::function<void(std::string_view key, Instant at)>;
    explicit Receiver(Received received);
    ~Receiver();
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    [[nodiscard]] std::string url() const;

private:
    class Loop;
    std::unique_ptr<Loop> loop_;
};

}  // namespace sundial::bench
