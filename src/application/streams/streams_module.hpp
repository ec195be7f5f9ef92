#pragma once

#include <chrono>

#include "application/ports/clock.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"
#include "application/streams/append_to_stream.hpp"
#include "application/streams/feed_watch.hpp"
#include "application/streams/keep_checkpoint.hpp"
#include "application/streams/keep_stream.hpp"
#include "application/streams/read_streams.hpp"
#include "base/log.hpp"

namespace sundial {

/// The event store: streams, the feed of all of them, and the checkpoints of its followers.
struct StreamsModule {
    struct Ports {
        Store& store;
        Feed& feed;
        const Digest& digest;
        const MonotonicClock& monotonic;
        base::Log& log;
    };
    /// `tick`: how often to check for events that other instances appended.
    StreamsModule(const Ports& p, std::chrono::microseconds tick)
        : append(p.store, p.digest),
          keep(p.store),
          read(p.store, p.feed),
          checkpoints(p.store),
          watch(p.feed, p.monotonic, p.log, tick) {}

    AppendToStream append;
    KeepStream keep;
    ReadStreams read;
    KeepCheckpoint checkpoints;
    FeedWatch watch;
};

}  // namespace sundial
