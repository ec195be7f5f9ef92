#pragma once

#include <cstdint>
#include <functional>

#include "adapters/http/message.hpp"

namespace sundial::http {

/// Answers one request. May block; runs on any thread of the pool. What it throws becomes 503 for
/// `Unavailable` and 500 for all else.
using Handler = std::function<Response(const Request&)>;

/// Where what a handler does takes place, and so how it is done once under an Idempotency-Key.
enum class Effects : std::uint8_t {
    none,        // it only looks: the key does not matter
    in_store,    // so that it can be part of one transaction
    in_batches,  // a removal in transactions of its own, which may be done again until it is whole
    outside      // outside of the store too (it sends, or waits for another thread)
};

}  // namespace sundial::http
