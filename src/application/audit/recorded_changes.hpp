#pragma once

#include <string>

#include "application/audit/caller.hpp"
#include "domain/api_key.hpp"
#include "domain/calendar.hpp"
#include "domain/endpoint.hpp"
#include "domain/schedule.hpp"
#include "domain/stream.hpp"
#include "domain/user.hpp"

/// One recorded event per change of the control plane. A creation is recorded completely, an update
/// with its changed members only, under the names of the API. Never includes a secret, sealed or
/// not.
namespace sundial {

/// Identifies a change: a fresh id, and its caller.
struct ChangeId {
    Uuid event_id;
    Caller caller;
};

[[nodiscard]] RecordedEvent user_created(const User& user, const ChangeId& id);
[[nodiscard]] RecordedEvent user_updated(const User& before, const User& after, const ChangeId& id);
/// Only the header: the stream that it closes keeps no payloads.
[[nodiscard]] RecordedEvent user_deleted(const User& last, const ChangeId& id);
[[nodiscard]] RecordedEvent endpoint_created(const Endpoint& endpoint, const ChangeId& id);
[[nodiscard]] RecordedEvent endpoint_updated(const Endpoint& before, const Endpoint& after,
                                             const ChangeId& id);
[[nodiscard]] RecordedEvent endpoint_deleted(const Endpoint& last, const ChangeId& id);
[[nodiscard]] RecordedEvent api_key_created(const ApiKey& key, const ChangeId& id);
[[nodiscard]] RecordedEvent api_key_revoked(const ApiKey& last, const ChangeId& id);
/// Without the name, which may be a person's.
[[nodiscard]] RecordedEvent calendar_created(const Calendar& calendar, const ChangeId& id);
[[nodiscard]] RecordedEvent calendar_revoked(const Calendar& last, const ChangeId& id);
[[nodiscard]] RecordedEvent schedule_created(const Schedule& schedule, const ChangeId& id);
[[nodiscard]] RecordedEvent schedule_deleted(const Schedule& last, const ChangeId& id);
[[nodiscard]] RecordedEvent schedule_updated(const Schedule& before, const Schedule& after,
                                             const ChangeId& id);

}  // namespace sundial
