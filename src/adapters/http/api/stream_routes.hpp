#pragma once

#include <functional>
#include <string_view>

#include "adapters/http/router.hpp"
#include "application/ports/ids.hpp"
#include "application/streams/append_to_stream.hpp"
#include "application/streams/feed_watch.hpp"
#include "application/streams/keep_checkpoint.hpp"
#include "application/streams/keep_stream.hpp"
#include "application/streams/read_streams.hpp"

namespace sundial::http {

struct StreamApi {
    AppendToStream& append;
    KeepStream& keep;
    ReadStreams& streams;
    KeepCheckpoint& checkpoints;
    FeedWatch& watch;
    Ids& ids;
    /// Called with the reason why a snapshot was not stored: "older". May be empty.
    std::function<void(std::string_view reason)> snapshot_ignored{};
};

/// /v1/streams, /v1/feed and /v1/checkpoints.
void add_stream_routes(Router& router, StreamApi api);

}  // namespace sundial::http
