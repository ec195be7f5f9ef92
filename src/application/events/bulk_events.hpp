#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/events/target.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/event_repository.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"
#include "base/log.hpp"

namespace sundial {

enum class BulkAction : std::uint8_t { retry, cancel, reschedule, dismiss };
inline constexpr std::array bulk_actions{BulkAction::retry, BulkAction::cancel,
                                         BulkAction::reschedule, BulkAction::dismiss};
/// "retry", …
[[nodiscard]] std::string_view to_string(BulkAction action);
[[nodiscard]] std::optional<BulkAction> parse_bulk_action(std::string_view text);

/// One action on many events.
struct BulkRequest {
    BulkAction action = BulkAction::retry;
    EventQuery filter{};           // used if no ids are given; its sort and page are ignored
    std::vector<EventId> ids{};    // at most 1,000
    std::uint32_t per_second = 0;  // maximum rate; 0: no limit
    // For a reschedule, one of these.
    TargetFields target{};
    /// Relative to each event's target; may be negative.
    std::optional<std::chrono::seconds> shift{};
    std::optional<std::string> note{};   // of a dismissal
    std::optional<std::string> actor{};  // its caller: see Caller
};

/// The form in which an operation stores it, and back. Throws Corrupt for text that `text_of` did
/// not write.
[[nodiscard]] std::string text_of(const BulkRequest& request);
[[nodiscard]] BulkRequest bulk_request_of(std::string_view text);
/// The request as a JSON object for the audit stream: action, filter, pace and target. Of ids only
/// their number, and no note, key or prefix: callers may put anything into those.
[[nodiscard]] std::string recorded_bulk(const BulkRequest& request, std::uint64_t total);

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
    BulkEvents(Store& store, const TimeZones& zones, Ids& ids, Operations& operations,
               base::Log& log)
        : store_(store), zones_(zones), ids_(ids), operations_(operations), log_(log) {}
    /// Errors: ValidationFailed, at /filter/…, /set/… and /ids; TooManyOperations.
    [[nodiscard]] EventResult<Bulk> run(const BulkCall& call, const Caller& caller);

private:
    [[nodiscard]] Bulk preview(const BulkRequest& request);
    void report(const Bulk& bulk, const BulkRequest& request, const std::string& correlation_id);

    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
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
