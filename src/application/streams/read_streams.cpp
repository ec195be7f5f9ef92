#include "application/streams/read_streams.hpp"

namespace sundial {

Page<ListedStream> ReadStreams::list(const StreamQuery& query) {
    return in_read(store_, [&](Transaction& tx) { return tx.streams().list(query); });
}

Result<ReadStream> ReadStreams::read(const StreamId& stream, const StreamRange& range) {
    if (auto errors = defects(stream); !errors.empty()) return ValidationFailed{std::move(errors)};
    return in_read(store_, [&](Transaction& tx) -> Result<ReadStream> {
        const StreamHead head = tx.streams().find(stream);
        if (head.deleted) return StreamDeleted{stream};
        return ReadStream{head, tx.streams().read(stream, range)};
    });
}

Result<Snapshot> ReadStreams::snapshot(const StreamId& stream) {
    return in_read(store_, [&](Transaction& tx) -> Result<Snapshot> {
        if (tx.streams().find(stream).deleted) return StreamDeleted{stream};
        auto snapshot = tx.streams().snapshot(stream);
        if (!snapshot) return AggregateNotFound{stream};
        return std::move(*snapshot);
    });
}

}  // namespace sundial
