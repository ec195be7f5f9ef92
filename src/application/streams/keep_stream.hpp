#pragma once

#include "application/ports/store.hpp"

namespace sundial {

/// What can be done to a stream other than appending to it. Errors of all: ValidationFailed
/// for a stream of Sundial's own, AggregateNotFound, StreamDeleted. Thread-safe.
class KeepStream {
public:
    explicit KeepStream(Store& store) : store_(store) {}

    /// Reads, but takes no appends until it is restored.
    [[nodiscard]] Result<void> archive(const StreamId& stream);
    [[nodiscard]] Result<void> restore(const StreamId& stream);
    /// Erases the payloads before `version`. Errors also: ValidationFailed without a snapshot of
    /// that version or a later one, by which the state of the aggregate stays known.
    [[nodiscard]] Result<void> truncate(const StreamId& stream, std::uint64_t version);
    /// Erases all payloads and closes it for ever; headers and positions stay in the feed.
    [[nodiscard]] Result<void> remove(const StreamId& stream);
    /// Puts `data`, a JSON value, in place of one event's payload. Errors also: ValidationFailed.
    [[nodiscard]] Result<void> redact(const StreamId& stream, std::uint64_t version,
                                      const std::string& data);
    /// False if a snapshot as new is kept. Errors also: ValidationFailed for one that is ahead of
    /// its stream, or no JSON.
    [[nodiscard]] Result<bool> save_snapshot(const StreamId& stream, const Snapshot& snapshot);

private:
    Store& store_;
};

}  // namespace sundial
