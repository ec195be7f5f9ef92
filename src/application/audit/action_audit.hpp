#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "application/audit/caller.hpp"
#include "application/ports/instance_repository.hpp"
#include "application/ports/store.hpp"
#include "domain/event.hpp"
#include "domain/operation.hpp"

/// Actions of callers on existing objects, in streams that only Sundial writes:
/// `EventAudit`, `OperationAudit` and `EndpointAudit` with the id of the event, operation or
/// endpoint, and `InstanceAudit/all`. A bulk operation has one entry, however many events it
/// changes. No entry has a payload, a note or a user, so that the erasure of a user leaves nothing
/// behind.
namespace sundial {

/// The caller of a change.
struct ChangedBy {
    Caller caller{};
    /// The id of the entry to write. Empty for the changes of a bulk operation.
    std::optional<Uuid> entry{};
};

/// `event` as it was before.
void record_cancelled(Transaction& tx, const Event& event, const ChangedBy& by);
/// The changed members before and after; of a payload only that it changed.
void record_changed(Transaction& tx, const Event& before, const Event& after, const ChangedBy& by);
/// A dismissal, or the end of one.
void record_dismissed(Transaction& tx, const Event& after, const ChangedBy& by);
/// `again` is the new event, or the same one if it waited for its next attempt.
void record_retried(Transaction& tx, const Event& event, const Event& again, const ChangedBy& by);
/// An event that a caller made of a schedule.
void record_triggered(Transaction& tx, const Event& event, const ChangedBy& by);

/// `what` is the event type ("BulkStarted"), `data` a JSON object.
void record_operation(Transaction& tx, const Operation& operation, std::string what,
                      std::string data, const ChangedBy& by);

/// Requests that change no setting of an endpoint: to close its circuit, to retry its waiting
/// events, to send a test.
enum class EndpointAction : std::uint8_t { close_circuit, retry_waiting, test };
void record_on_endpoint(Transaction& tx, EndpointId endpoint, EndpointAction action,
                        const ChangedBy& by);

/// The request that an instance drains. One stream has those of all instances: they end soon, and
/// the reader looks for them afterwards.
void record_drain(Transaction& tx, const InstanceReport& instance, const ChangedBy& by);

}  // namespace sundial
