#pragma once

#include <cstdint>
#include <functional>

#include "adapters/http/message.hpp"

namespace sundial::http {

/// Answers one request. May block; runs on any thread of the pool. `Unavailable` becomes 503, any
/// other exception 500.
using Handler = std::function<Response(const Request&)>;

/// Where the effects of a handler take place, which decides how they happen only once under an
/// Idempotency-Key.
enum class Effects : std::uint8_t {
    none,        // reads only: the key does not matter
    in_store,    // can run inside one transaction
    in_batches,  // removes in transactions of its own; may be repeated until the removal is
                 // complete
    outside      // also acts outside the store (sends, or waits for another thread)
};

}  // namespace sundial::http
