#pragma once

#include <optional>
#include <vector>

#include "application/ports/store.hpp"
#include "application/requests/results.hpp"

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
    /// An absent stream is at version 0. Errors: ValidationFailed for an id that no stream has and
    /// for a limit that is not 1 to `max_read_events`; StreamDeleted.
    [[nodiscard]] StreamResult<ReadStream> read(const StreamId& stream, const StreamRange& range);
    /// The same inside of a transaction.
    [[nodiscard]] static StreamResult<ReadStream> read(Transaction& tx, const StreamId& stream,
                                                       const StreamRange& range);
    /// Errors: AggregateNotFound where none was saved, StreamDeleted.
    [[nodiscard]] StreamResult<Snapshot> snapshot(const StreamId& stream);
    /// Errors: ValidationFailed for a limit that is not 1 to `max_read_events`.
    [[nodiscard]] StreamResult<FeedPage> feed(std::uint64_t after, const FeedFilter& filter,
                                              std::size_t limit);

private:
    Store& store_;
    Feed& feed_;
};

}  // namespace sundial
