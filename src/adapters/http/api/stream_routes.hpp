#pragma once

#include <functional>
#include <string_view>

#include "adapters/http/router.hpp"
#include "application/append_to_stream.hpp"
#include "application/feed_watch.hpp"
#include "application/keep_checkpoint.hpp"
#include "application/keep_stream.hpp"
#include "application/ports/ids.hpp"
#include "application/read_streams.hpp"

namespace sundial::http {

struct StreamApi {
    AppendToStream& append;
    KeepStream& keep;
    ReadStreams& streams;
    KeepCheckpoint& checkpoints;
    FeedWatch& watch;
    Ids& ids;
    /// Told why a snapshot was not kept: "older". May be empty.
    std::function<void(std::string_view reason)> snapshot_ignored{};
};

/// /v1/streams, /v1/feed and /v1/checkpoints.
void add_stream_routes(Router& router, StreamApi api);

}  // namespace sundial::http
