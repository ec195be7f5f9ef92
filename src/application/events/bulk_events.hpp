#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "application/events/bulk_request.hpp"
#include "application/operations/operation_task.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "base/log.hpp"

namespace sundial {

struct BulkWish {
    BulkRequest request;
    bool dry_run = false;
};

struct Bulk {
    std::uint64_t count = 0;             // of the events that it is for, as of now
    std::vector<Event> samples;          // the first of them, of a dry run
    std::optional<Operation> operation;  // does it; of a dry run none
};

/// Does one thing to many events: retries or dismisses what FAILED, cancels or moves what is live.
/// Which ones is decided by what is there at the start: what the operation itself makes (a retry, a
/// successor) is not caught again.
class BulkEvents {
public:
    BulkEvents(Store& store, const TimeZones& zones, Operations& operations, base::Log& log)
        : store_(store), zones_(zones), operations_(operations), log_(log) {}
    /// Errors: ValidationFailed, at /filter/…, /set/… and /ids; TooManyOperations.
    [[nodiscard]] Result<Bulk> run(const BulkWish& wish, const std::string& correlation_id);

private:
    [[nodiscard]] Bulk preview(const BulkRequest& request);
    void tell(const Bulk& bulk, const BulkRequest& request, const std::string& correlation_id);

    Store& store_;
    const TimeZones& zones_;
    Operations& operations_;
    base::Log& log_;
};

/// What an operation of that kind does. Its cursor is the place of the last event, or how many of
/// the ids are done.
class BulkTask final : public OperationTask {
public:
    BulkTask(const TimeZones& zones, Ids& ids) : zones_(zones), ids_(ids) {}
    std::uint64_t count(Transaction& tx, const Operation& operation) override;
    Batch run(Transaction& tx, const Operation& operation) override;

private:
    const TimeZones& zones_;
    Ids& ids_;
};

}  // namespace sundial
