#pragma once

#include <chrono>
#include <string>

#include "application/ports/store.hpp"

namespace sundial {

/// How far somebody has come in the feed, kept so that only one goes on from there. Thread-safe.
class KeepCheckpoint {
public:
    explicit KeepCheckpoint(Store& store) : store_(store) {}

    /// One that was never kept is at position 0. Errors: ValidationFailed for what is no name.
    [[nodiscard]] Result<Checkpoint> find(const std::string& name);
    /// Errors: ValidationFailed, CheckpointLost, CheckpointConflict; FeedDiverged where the store
    /// has not that event at that position.
    [[nodiscard]] Result<Checkpoint> save(const std::string& name, const CheckpointStep& step);
    /// The same in a transaction of the caller's, who then makes what it does count once.
    [[nodiscard]] static Result<Checkpoint> save(Transaction& tx, const std::string& name,
                                                 const CheckpointStep& step);
    /// Takes or prolongs its lease for `holder`; the checkpoint says whose it is now. Errors:
    /// ValidationFailed; FeedDiverged where the store has not what was handled last.
    [[nodiscard]] Result<Checkpoint> hold(const std::string& name, const std::string& holder,
                                          std::chrono::microseconds lasting);
    /// Ends the lease of who has that token, if it is still his.
    void let_go(const std::string& name, std::uint64_t fencing_token);

private:
    Store& store_;
};

}  // namespace sundial
