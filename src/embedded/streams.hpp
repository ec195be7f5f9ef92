#pragma once

#include "application/ports/ids.hpp"
#include "application/streams/streams_module.hpp"
#include "base/log.hpp"
#include "sundial/recording.hpp"

namespace sundial::embedding {

/// The parts of an engine that its streams use.
struct Streams::Parts {
    Store& store;
    Feed& feed;
    Ids& ids;
    base::Log& log;
    StreamsModule& module;
    AppendToStream& append = module.append;
    KeepStream& keep = module.keep;
    ReadStreams& read = module.read;
    KeepCheckpoint& checkpoints = module.checkpoints;
    FeedWatch& watch = module.watch;
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
