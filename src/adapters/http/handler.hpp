#pragma once

#include <cstdint>
#include <functional>

#include "adapters/http/message.hpp"

namespace sundial::http {

/// Answers one request. May block; runs on any thread of the pool. What it throws becomes 503 for
/// `Unavailable` and 500 for all else.
using Handler = std::function<Response(const Request&)>;

/// Where what a handler does takes place: in the store, so that it can be part of one transaction,
/// or outside too (it sends, or waits for another thread), so that it cannot.
enum class Effects : std::uint8_t { in_store, outside };

}  // namespace sundial::http
