#pragma once

#include <optional>
#include <vector>

#include "application/ports/store.hpp"

namespace sundial {

/// The events of a stream, and its head.
struct ReadStream {
    StreamHead head;
    std::vector<RecordedEvent> events;
};

/// Read access to streams. Thread-safe.
class ReadStreams {
public:
    ReadStreams(Store& store, Feed& feed) : store_(store), feed_(feed) {}

    [[nodiscard]] Page<ListedStream> list(const StreamQuery& query);
    /// An absent stream is at version 0. Errors: ValidationFailed for an invalid id, StreamDeleted.
    [[nodiscard]] Result<ReadStream> read(const StreamId& stream, const StreamRange& range);
    /// Errors: AggregateNotFound if no snapshot was saved, StreamDeleted.
    [[nodiscard]] Result<Snapshot> snapshot(const StreamId& stream);
    [[nodiscard]] FeedPage feed(std::uint64_t after, const FeedFilter& filter, std::size_t limit) {
        return feed_.read_all(after, filter, limit);
    }

private:
    Store& store_;
    Feed& feed_;
};

}  // namespace sundial
