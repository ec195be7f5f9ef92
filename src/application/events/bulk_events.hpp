#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "application/events/bulk_request.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"
#include "base/log.hpp"

namespace sundial {

struct BulkCall {
    BulkRequest request;
    bool dry_run = false;
};

struct Bulk {
    std::uint64_t count = 0;             // of the selected events, as of now
    std::vector<Event> samples;          // the first of them; only for a dry run
    std::optional<Operation> operation;  // processes them; empty for a dry run
};

/// Applies one action to many events: retries or dismisses FAILED events, cancels or moves live
/// ones. The selection is fixed at the start: events that the operation itself creates (a retry, a
/// successor) are not selected again.
class BulkEvents {
public:
    BulkEvents(Store& store, const TimeZones& zones, Operations& operations, base::Log& log)
        : store_(store), zones_(zones), operations_(operations), log_(log) {}
    /// Errors: ValidationFailed, at /filter/…, /set/… and /ids; TooManyOperations.
    [[nodiscard]] EventResult<Bulk> run(const BulkCall& call, const std::string& correlation_id);

private:
    [[nodiscard]] Bulk preview(const BulkRequest& request);
    void report(const Bulk& bulk, const BulkRequest& request, const std::string& correlation_id);

    Store& store_;
    const TimeZones& zones_;
    Operations& operations_;
    base::Log& log_;
};

/// The task of such an operation. Its cursor is the place of the last event, or the number of
/// processed ids.
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
