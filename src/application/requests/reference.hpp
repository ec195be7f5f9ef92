#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "application/ports/store.hpp"
#include "application/requests/results.hpp"
#include "domain/error.hpp"

/// References of callers to objects: an id or, if the type has external ids, `ext:` and the
/// external id.
namespace sundial {

/// Errors of all: NotFound, with `reference` as given, also for a malformed id.
[[nodiscard]] LookupResult<UserId> user_id(Transaction& tx, std::string_view reference);
[[nodiscard]] LookupResult<ScheduleId> schedule_id(Transaction& tx, std::string_view reference);
[[nodiscard]] LookupResult<EndpointId> endpoint_id(Transaction& tx, std::string_view reference);
/// The same for many, by reference. Unknown references are left out.
[[nodiscard]] std::map<std::string, UserId> user_ids(Transaction& tx,
                                                     const std::set<std::string>& references);
[[nodiscard]] std::map<std::string, EndpointId> endpoint_ids(
    Transaction& tx, const std::set<std::string>& references);
/// Events and operations have no external id.
[[nodiscard]] LookupResult<EventId> event_id(std::string_view reference);
[[nodiscard]] LookupResult<OperationId> operation_id(std::string_view reference);

}  // namespace sundial
