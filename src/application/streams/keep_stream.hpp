#pragma once

#include "application/ports/store.hpp"
#include "application/requests/results.hpp"

namespace sundial {

/// Operations on a stream other than appending. Errors of all: ValidationFailed for Sundial's own
/// streams, AggregateNotFound, StreamDeleted. Thread-safe.
class KeepStream {
public:
    explicit KeepStream(Store& store) : store_(store) {}

    /// An archived stream can be read but takes no appends until it is restored.
    [[nodiscard]] StreamResult<void> archive(const StreamId& stream);
    [[nodiscard]] StreamResult<void> restore(const StreamId& stream);
    /// Erases the payloads before `version`. Errors also: ValidationFailed without a snapshot of
    /// that version or a later one, which preserves the state of the aggregate.
    [[nodiscard]] StreamResult<void> truncate(const StreamId& stream, std::uint64_t version);
    /// Erases all payloads and closes the stream permanently; headers and positions stay in the
    /// feed.
    [[nodiscard]] StreamResult<void> remove(const StreamId& stream);
    /// Replaces one event's payload with `data`, a JSON value. Errors also: ValidationFailed.
    [[nodiscard]] StreamResult<void> redact(const StreamId& stream, std::uint64_t version,
                                            const std::string& data);
    /// False if the stored snapshot is at least as new. Errors also: ValidationFailed if the
    /// snapshot is ahead of its stream or not JSON.
    [[nodiscard]] StreamResult<bool> save_snapshot(const StreamId& stream,
                                                   const Snapshot& snapshot);

private:
    Store& store_;
};

}  // namespace sundial
