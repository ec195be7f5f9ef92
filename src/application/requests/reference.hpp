#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "application/ports/store.hpp"
#include "domain/error.hpp"

/// How callers name things: by id, or, where a thing can have one, by `ext:` and its external id.
namespace sundial {

/// Errors of all: NotFound, with `reference` as it was given; a malformed id is of nothing.
[[nodiscard]] Result<UserId> user_id(Transaction& tx, std::string_view reference);
[[nodiscard]] Result<ScheduleId> schedule_id(Transaction& tx, std::string_view reference);
[[nodiscard]] Result<EndpointId> endpoint_id(Transaction& tx, std::string_view reference);
/// The same of many, by reference; without those that are of nothing.
[[nodiscard]] std::map<std::string, UserId> user_ids(Transaction& tx,
                                                     const std::set<std::string>& references);
[[nodiscard]] std::map<std::string, EndpointId> endpoint_ids(
    Transaction& tx, const std::set<std::string>& references);
/// Events and operations have no external id.
[[nodiscard]] Result<EventId> event_id(std::string_view reference);
[[nodiscard]] Result<OperationId> operation_id(std::string_view reference);

}  // namespace sundial
