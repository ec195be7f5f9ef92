#pragma once

#include <functional>
#include <string_view>

#include "adapters/http/router.hpp"
#include "application/ports/ids.hpp"
#include "application/streams/streams_module.hpp"

namespace sundial::http {

struct StreamApi {
    StreamsModule& streams;
    Ids& ids;
    /// Called with the reason why a snapshot was not stored: "older". May be empty.
    std::function<void(std::string_view reason)> snapshot_ignored{};
};

/// /v1/streams, /v1/feed and /v1/checkpoints.
void add_stream_routes(Router& router, StreamApi api);

}  // namespace sundial::http
