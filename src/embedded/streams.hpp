#pragma once

#include "application/ports/ids.hpp"
#include "application/streams/append_to_stream.hpp"
#include "application/streams/feed_watch.hpp"
#include "application/streams/keep_checkpoint.hpp"
#include "application/streams/keep_stream.hpp"
#include "application/streams/read_streams.hpp"
#include "base/log.hpp"
#include "sundial/recording.hpp"

namespace sundial::embedding {

/// The parts of an engine that its streams use.
struct Streams::Parts {
    Parts(Store& its_store, Feed& its_feed, FeedWatch& its_watch, const Digest& digest,
          Ids& its_ids, base::Log& its_log)
        : store(its_store),
          feed(its_feed),
          watch(its_watch),
          ids(its_ids),
          log(its_log),
          append(store, digest) {}

    Store& store;
    Feed& feed;
    FeedWatch& watch;
    Ids& ids;
    base::Log& log;
    AppendToStream append;
    KeepStream keep{store};
    ReadStreams read{store, feed};
    KeepCheckpoint checkpoints{store};
};

/// One transaction, and the use case that appends in it.
struct StreamTransaction::Parts {
    Transaction& tx;
    const AppendToStream& append;
    Ids& ids;
};

[[nodiscard]] RecordedEvent shown(const sundial::RecordedEvent& event);
[[nodiscard]] RecordedEvent shown(const sundial::FeedPage::Entry& entry);
[[nodiscard]] sundial::FeedFilter filter_of(const FeedFilter& filter);

}  // namespace sundial::embedding
