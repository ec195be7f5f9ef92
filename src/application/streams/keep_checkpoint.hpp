#pragma once

#include <chrono>
#include <string>

#include "application/ports/store.hpp"
#include "application/requests/results.hpp"

namespace sundial {

/// Checkpoints of the feed's subscribers, leased so that only one instance continues from each.
/// Thread-safe.
class KeepCheckpoint {
public:
    explicit KeepCheckpoint(Store& store) : store_(store) {}

    /// A checkpoint that was never stored is at position 0. Errors: ValidationFailed for an invalid
    /// name.
    [[nodiscard]] StreamResult<Checkpoint> find(const std::string& name);
    /// Errors: ValidationFailed, CheckpointLost, CheckpointConflict; FeedDiverged if the store does
    /// not have that event at that position.
    [[nodiscard]] StreamResult<Checkpoint> save(const std::string& name,
                                                const CheckpointStep& step);
    /// The same in a transaction of the caller's, whose changes then count exactly once.
    [[nodiscard]] static StreamResult<Checkpoint> save(Transaction& tx, const std::string& name,
                                                       const CheckpointStep& step);
    /// Takes or extends its lease for `holder`; the returned checkpoint names the current holder.
    /// Errors: ValidationFailed; FeedDiverged if the store does not have the last handled event.
    [[nodiscard]] StreamResult<Checkpoint> hold(const std::string& name, const std::string& holder,
                                                std::chrono::microseconds lasting);
    /// Ends the lease with that token, if it still holds.
    void release(const std::string& name, std::uint64_t fencing_token);

private:
    Store& store_;
};

}  // namespace sundial
