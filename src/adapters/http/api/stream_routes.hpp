#pragma once

#include "adapters/http/router.hpp"
#include "application/append_to_stream.hpp"
#include "application/keep_stream.hpp"
#include "application/ports/ids.hpp"
#include "application/read_streams.hpp"

namespace sundial::http {

struct StreamApi {
    AppendToStream& append;
    KeepStream& keep;
    ReadStreams& streams;
    Ids& ids;
};

/// /v1/streams and /v1/feed.
void add_stream_routes(Router& router, StreamApi api);

}  // namespace sundial::http
