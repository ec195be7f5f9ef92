#include "application/streams/read_streams.hpp"

#include <algorithm>
#include <string>

namespace sundial {
namespace {

std::optional<ValidationFailed> refuse_limit(std::size_t limit) {
    if (1 <= limit && limit <= max_read_events) return std::nullopt;
    return invalid("/limit", "out_of_range", "must be 1 to " + std::to_string(max_read_events));
}

}  // namespace

Page<ListedStream> ReadStreams::list(const StreamQuery& query) {
    return in_read(store_, [&](Transaction& tx) { return tx.streams().list(query); });
}

StreamResult<ReadStream> ReadStreams::read(const StreamId& stream, const StreamRange& range) {
    return in_read(store_, [&](Transaction& tx) { return read(tx, stream, range); });
}

StreamResult<ReadStream> ReadStreams::read(Transaction& tx, const StreamId& stream,
                                           const StreamRange& range) {
    if (auto errors = defects(stream); !errors.empty()) return ValidationFailed{std::move(errors)};
    if (auto refused = refuse_limit(range.limit)) return *std::move(refused);
    const StreamHead head = tx.streams().find(stream);
    if (head.deleted) return StreamDeleted{stream};
    StreamRange kept = range;  // no version is greater than the databases can count
    kept.from = std::min(kept.from, greatest_number);
    kept.to = std::min(kept.to, greatest_number);
    return ReadStream{head, tx.streams().read(stream, kept)};
}

StreamResult<FeedPage> ReadStreams::feed(std::uint64_t after, const FeedFilter& filter,
                                         std::size_t limit) {
    if (auto refused = refuse_limit(limit)) return *std::move(refused);
    if (after > greatest_number) return FeedPage{.entries = {}, .next_position = after};
    return feed_.read_all(after, filter, limit);
}

StreamResult<Snapshot> ReadStreams::snapshot(const StreamId& stream) {
    return in_read(store_, [&](Transaction& tx) -> StreamResult<Snapshot> {
        if (tx.streams().find(stream).deleted) return StreamDeleted{stream};
        auto snapshot = tx.streams().snapshot(stream);
        if (!snapshot) return AggregateNotFound{stream};
        return std::move(*snapshot);
    });
}

}  // namespace sundial
