#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "domain/operation.hpp"

namespace sundial {

/// Rows in one transaction of a long job: few enough that claims skip them only briefly.
inline constexpr std::size_t batch_size = 200;
/// Events that a dry run shows.
inline constexpr std::size_t max_samples = 5;

/// The result of one batch of an operation.
struct Batch {
    std::uint64_t done = 0;
    std::vector<OperationFailure> failures{};
    std::optional<std::string> cursor;   // the operation's progress after this batch
    bool last = false;                   // nothing is left to do
    std::chrono::microseconds pause{0};  // before the next batch
    std::optional<std::string> moot;     // why the rest is no longer needed
    Instant earliest = never;            // when the first planned or moved event is claimable
};

/// The failure for a subject whose zone is not in the tz database.
[[nodiscard]] inline OperationFailure unknown_zone(OperationSubject subject, Uuid id,
                                                   const std::string& zone) {
    return {subject, id, "unknown_zone", "'" + zone + "' is not in the tz database"};
}

/// The work of one operation while this instance holds it. Used by one thread.
class OperationTask {
public:
    virtual ~OperationTask() = default;
    /// Number of rows to process. Called once, with the first batch.
    virtual std::uint64_t count(Transaction& tx, const Operation& operation) = 0;
    /// Processes one batch, in the transaction that stores its progress. May be called again after
    /// a conflict, and must then do the same.
    virtual Batch run(Transaction& tx, const Operation& operation) = 0;
    /// Called after the batch is committed, for work that needs transactions of its own.
    virtual void committed() {}
};

using MakeOperationTask = std::function<std::unique_ptr<OperationTask>(const Operation&)>;

/// The task for each kind of operation. The arguments outlive it.
[[nodiscard]] MakeOperationTask operation_tasks(Store& store, const TimeZones& zones, Ids& ids,
                                                Wakeups& wakeups);

}  // namespace sundial
