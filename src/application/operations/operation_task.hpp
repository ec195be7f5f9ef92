#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "application/ports/store.hpp"
#include "domain/operation.hpp"

namespace sundial {

/// What one batch of an operation did.
struct Batch {
    std::uint64_t done = 0;
    std::vector<OperationFailure> failures{};
    std::optional<std::string> cursor;   // how far the operation has come with it
    bool last = false;                   // nothing is left to do
    std::chrono::microseconds pause{0};  // before the next batch
    std::optional<std::string> moot;     // why nothing of the rest has to be done any more
    Instant earliest = never;  // when the first event that it planned or moved is claimable
};

/// Whoever is concerned lives in a zone that the tz database does not have.
[[nodiscard]] inline OperationFailure unknown_zone(OperationSubject subject, Uuid id,
                                                   const std::string& zone) {
    return {subject, id, "unknown_zone", "'" + zone + "' is not in the tz database"};
}

/// The work of one operation, for as long as this instance has it. One thread.
class OperationTask {
public:
    virtual ~OperationTask() = default;
    /// How many rows there are to go through. Asked once, with the first batch.
    virtual std::uint64_t count(Transaction& tx, const Operation& operation) = 0;
    /// Does a batch of work, in the transaction in which its progress is stored. May be called
    /// again after a conflict, and must then do the same.
    virtual Batch run(Transaction& tx, const Operation& operation) = 0;
    /// The batch is committed: now is the time for what needs transactions of its own.
    virtual void committed() {}
};

using MakeOperationTask = std::function<std::unique_ptr<OperationTask>(const Operation&)>;

}  // namespace sundial
