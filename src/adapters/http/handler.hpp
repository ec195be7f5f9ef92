#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "adapters/http/message.hpp"
#include "adapters/http/schema.hpp"

namespace sundial::http {

/// Answers one request. May block; runs on any thread of the pool. `Unavailable` becomes 503, any
/// other exception 500.
using Handler = std::function<Response(const Request&)>;

/// Where a handler has its effects. This decides how an Idempotency-Key makes them happen only
/// once.
enum class Effects : std::uint8_t {
    none,        // reads only: the key does not matter
    in_store,    // can run inside one transaction
    in_batches,  // removes in transactions of its own; may be repeated until the removal is
                 // complete
    outside      // also acts outside the store (sends, or waits for another thread)
};

/// The guard's decision on a request.
struct Admission {
    std::optional<Response> refused{};  // the refusal, if the request is not admitted
    Headers headers{};                  // to be added to the response in any case
};

/// Decides which callers may use which route. Thread-safe.
class Guard {
public:
    virtual ~Guard() = default;
    /// Whether there is a rule for this operation. An operation without a rule cannot be used.
    [[nodiscard]] virtual bool knows(const Operation& operation) const = 0;
    /// Admits a request to `operation` (null: no operation matches, the response is an error) and
    /// writes the caller into the request. May throw Unavailable.
    virtual Admission admit(Request& request, const Operation* operation) = 0;
    /// Whether the caller of an admitted request still has the rights that it had then. May throw
    /// Unavailable.
    [[nodiscard]] virtual bool still_admits(const Request& request) = 0;
};

/// Admits every request.
class OpenGuard final : public Guard {
public:
    [[nodiscard]] bool knows(const Operation& /*operation*/) const override { return true; }
    Admission admit(Request& /*request*/, const Operation* /*operation*/) override { return {}; }
    [[nodiscard]] bool still_admits(const Request& /*request*/) override { return true; }
};

}  // namespace sundial::http
