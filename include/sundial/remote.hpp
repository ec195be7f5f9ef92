#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sundial/client.hpp"
#include "sundial/endpoints.hpp"
#include "sundial/result.hpp"
#include "sundial/scheduling.hpp"
#include "sundial/values.hpp"

#pragma GCC visibility push(default)

/// Events, users, schedules, endpoints, streams and locks of a Sundial server as values, for
/// programs that run no engine. Link `Sundial::client`. The values and the codes of errors are
/// those of an engine (`sundial/engine.hpp`). Every call may also fail with the errors of
/// `Client::call`, and with HTTP_ERROR for an answer that is not one of this API.
///
/// Calls that read, put, cancel and remove are repeated if no answer comes
/// (`ClientOptions::retry`), and may then meet their own effect: a removed object is missing, and
/// one that was changed no longer has the expected version.
namespace sundial {

using embedding::Appended;
using embedding::Conflict;
using embedding::Cron;
using embedding::Done;
using embedding::Duplicate;
using embedding::Endpoint;
using embedding::EndpointChange;
using embedding::EndpointType;
using embedding::Error;
using embedding::Event;
using embedding::EventChange;
using embedding::EventFilter;
using embedding::EventMetadata;
using embedding::EventPage;
using embedding::Every;
using embedding::Expected;
using embedding::Gap;
using embedding::HeldLock;
using embedding::Instant;
using embedding::InvalidField;
using embedding::InvalidFields;
using embedding::Leap;
using embedding::LostLease;
using embedding::Misfire;
using embedding::Missing;
using embedding::NewEndpoint;
using embedding::NewEvent;
using embedding::NewRecordedEvent;
using embedding::NewSchedule;
using embedding::NewUser;
using embedding::Overlap;
using embedding::PageOptions;
using embedding::Priority;
using embedding::RecordedEvent;
using embedding::RefusedStream;
using embedding::Repeat;
using embedding::Result;
using embedding::ReusedId;
using embedding::ReusedIds;
using embedding::Rrule;
using embedding::Rule;
using embedding::Schedule;
using embedding::StoredEndpoint;
using embedding::StreamId;
using embedding::StreamPart;
using embedding::StreamRange;
using embedding::UsedEndpoint;
using embedding::UsedKey;
using embedding::User;
using embedding::UserChange;
using embedding::VersionConflict;
using embedding::WrongState;
using embedding::WrongTemplate;
using embedding::Yearly;

/// Schedules events at a server, and reads and changes them:
///
///     const sundial::Client client{{.server = "https://sundial.example", .key = key}};
///     const sundial::RemoteEvents events{client};
///     const auto made = events.create({.type = "INVOICE", .at = due, .idempotency_key = "inv-17",
///                                      .endpoint = "ext:billing"});
///     if (!made) return complain(made.error().detail);
///
/// Cheap to copy; thread-safe.
class RemoteEvents {
public:
    /// Opens no connection yet.
    explicit RemoteEvents(Client client) : client_(std::move(client)) {}

    /// Schedules the event. With `request_key`, an Idempotency-Key, the request is repeated if no
    /// answer comes, and takes effect once: the same call with that key has the same result as long
    /// as the server keeps it, a day by default. Errors: DUPLICATE_IDEMPOTENCY_KEY with the event
    /// that has the key (Duplicate); VALIDATION_FAILED (InvalidFields); ENDPOINT_NOT_FOUND and
    /// USER_NOT_FOUND (Missing); with a `request_key` also IDEMPOTENCY_KEY_REUSED, if another call
    /// had it, and IDEMPOTENCY_IN_PROGRESS (UsedKey).
    [[nodiscard]] Result<Event> create(const NewEvent& event,
                                       const std::string& request_key = {}) const;
    /// The event with this id. Errors: EVENT_NOT_FOUND.
    [[nodiscard]] Result<Event> get(const std::string& id) const;
    /// One page of the matching events. It may end early, even without an event: continue as long
    /// as `EventPage::next` is not empty. Errors: INVALID_CURSOR; VALIDATION_FAILED.
    [[nodiscard]] Result<EventPage> list(const EventFilter& filter = {},
                                         const PageOptions& page = {}) const;
    /// Changes a PENDING event. `version`: only if it has this one; 0: any. Errors:
    /// EVENT_NOT_FOUND; OPTIMISTIC_LOCK (VersionConflict); INVALID_STATE_TRANSITION (WrongState).
    [[nodiscard]] Result<Event> update(const std::string& id, const EventChange& change,
                                       std::uint64_t version = 0) const;
    /// Moves a PENDING event to another instant. `version` and errors as of `update`.
    [[nodiscard]] Result<Event> reschedule(const std::string& id, Instant at,
                                           std::uint64_t version = 0) const;
    /// Cancels an event that is PENDING or waits for another attempt. Of a cancelled one: the
    /// event. `version` and errors as of `update`.
    [[nodiscard]] Result<Event> cancel(const std::string& id, std::uint64_t version = 0) const;
    /// Retries a FAILED event by a new event with the same idempotency key, or ends the wait of
    /// one that waits for another attempt: then the same event. Errors: EVENT_NOT_FOUND;
    /// INVALID_STATE_TRANSITION. `request_key` as in `create`.
    [[nodiscard]] Result<Event> retry(const std::string& id,
                                      const std::string& request_key = {}) const;

private:
    Client client_;
};

/// Users that match all fields that are set.
struct UserFilter {
    /// They are in one of these zones; an empty list matches every zone.
    std::vector<std::string> timezones{};
    std::string prefix{};  // of their id, external id, first or last name
};
/// A part of a list of users.
struct UserPage {
    /// In the order of their creation.
    std::vector<User> users;
    std::string next{};  // for `PageOptions::after`; empty: this is the last page
};

/// Keeps users at a server. `id` is an id, or "ext:" and the external id. `version`: only if the
/// user has this one, else OPTIMISTIC_LOCK (VersionConflict); 0: any. Cheap to copy; thread-safe.
class RemoteUsers {
public:
    /// Opens no connection yet.
    explicit RemoteUsers(Client client) : client_(std::move(client)) {}

    /// Creates the user. `request_key` as in `RemoteEvents::create`. Errors: VALIDATION_FAILED
    /// (InvalidFields); DUPLICATE_EXTERNAL_ID with the user that has it (Duplicate).
    [[nodiscard]] Result<User> create(const NewUser& user,
                                      const std::string& request_key = {}) const;
    /// Errors: USER_NOT_FOUND (Missing).
    [[nodiscard]] Result<User> get(const std::string& id) const;
    /// One page of the matching users, as `RemoteEvents::list`. Errors: INVALID_CURSOR;
    /// VALIDATION_FAILED.
    [[nodiscard]] Result<UserPage> list(const UserFilter& filter = {},
                                        const PageOptions& page = {}) const;
    /// Changes the user, and moves the user's PENDING events. Errors: USER_NOT_FOUND;
    /// OPTIMISTIC_LOCK; VALIDATION_FAILED; DUPLICATE_EXTERNAL_ID.
    [[nodiscard]] Result<User> update(const std::string& id, const UserChange& change,
                                      std::uint64_t version = 0) const;
    /// Deletes the user and the user's events. Errors: USER_NOT_FOUND; OPTIMISTIC_LOCK.
    [[nodiscard]] Result<Done> remove(const std::string& id, std::uint64_t version = 0) const;

private:
    Client client_;
};

/// Schedules that match all fields that are set.
struct ScheduleFilter {
    /// Types of their events; an empty list matches every one.
    std::vector<std::string> types{};
    std::optional<bool> enabled{};  // whether they are not paused
    std::string prefix{};           // of their id, name or type of events
};
/// A part of a list of schedules.
struct SchedulePage {
    /// In the order of their creation.
    std::vector<Schedule> schedules;
    std::string next{};  // for `PageOptions::after`; empty: this is the last page
};

/// Keeps schedules at a server. `schedule` is an id, or "ext:" and the name. `version`: only if the
/// schedule has this one, else OPTIMISTIC_LOCK (VersionConflict); 0: any. Cheap to copy;
/// thread-safe.
class RemoteSchedules {
public:
    /// Opens no connection yet.
    explicit RemoteSchedules(Client client) : client_(std::move(client)) {}

    /// Creates the schedule of that name, or replaces it. Its events follow: a few at once, many in
    /// the background. Errors: VALIDATION_FAILED (InvalidFields); INVALID_TEMPLATE (WrongTemplate);
    /// OPTIMISTIC_LOCK.
    [[nodiscard]] Result<Schedule> put(const NewSchedule& schedule,
                                       std::uint64_t version = 0) const;
    /// Errors: SCHEDULE_NOT_FOUND (Missing).
    [[nodiscard]] Result<Schedule> get(const std::string& schedule) const;
    /// One page of the matching schedules, as `RemoteEvents::list`. Errors: INVALID_CURSOR;
    /// VALIDATION_FAILED.
    [[nodiscard]] Result<SchedulePage> list(const ScheduleFilter& filter = {},
                                            const PageOptions& page = {}) const;
    /// Pauses the schedule (false): its PENDING events wait. Or resumes it, from its next time on.
    /// Errors: SCHEDULE_NOT_FOUND; OPTIMISTIC_LOCK.
    [[nodiscard]] Result<Schedule> set_enabled(const std::string& schedule, bool enabled,
                                               std::uint64_t version = 0) const;
    /// Deletes the schedule, and cancels its events that are not claimed. Errors:
    /// SCHEDULE_NOT_FOUND; OPTIMISTIC_LOCK.
    [[nodiscard]] Result<Done> remove(const std::string& schedule, std::uint64_t version = 0) const;

private:
    Client client_;
};

/// Endpoints that match all fields that are set.
struct EndpointFilter {
    std::string type{};             // as `Endpoint::type`
    std::optional<bool> enabled{};  // whether they are enabled
    std::string prefix{};           // of their id or name
};
/// A part of a list of endpoints.
struct EndpointPage {
    /// In the order of their creation.
    std::vector<Endpoint> endpoints;
    std::string next{};  // for `PageOptions::after`; empty: this is the last page
};

/// Keeps endpoints at a server. `endpoint` is an id, or "ext:" and the name. Cheap to copy;
/// thread-safe.
class RemoteEndpoints {
public:
    /// Opens no connection yet.
    explicit RemoteEndpoints(Client client) : client_(std::move(client)) {}

    /// Creates the endpoint of that name, or replaces all its settings except type and secret.
    /// `version`: replaces it only if it has this one, else OPTIMISTIC_LOCK (VersionConflict); 0:
    /// any. A secret that the server makes is returned once, and lost with its answer: set
    /// `NewEndpoint::secret` to know it in any case. Errors: VALIDATION_FAILED (InvalidFields).
    [[nodiscard]] Result<StoredEndpoint> put(const NewEndpoint& endpoint,
                                             std::uint64_t version = 0) const;
    /// Errors: ENDPOINT_NOT_FOUND (Missing).
    [[nodiscard]] Result<Endpoint> get(const std::string& endpoint) const;
    /// One page of the matching endpoints, as `RemoteEvents::list`. Errors: INVALID_CURSOR;
    /// VALIDATION_FAILED.
    [[nodiscard]] Result<EndpointPage> list(const EndpointFilter& filter = {},
                                            const PageOptions& page = {}) const;
    /// Changes single settings. Errors: ENDPOINT_NOT_FOUND; OPTIMISTIC_LOCK (VersionConflict);
    /// VALIDATION_FAILED.
    [[nodiscard]] Result<Endpoint> update(const std::string& endpoint,
                                          const EndpointChange& change) const;
    /// Deletes the endpoint. Its finished events stay. `version` as in `put`. Errors:
    /// ENDPOINT_NOT_FOUND; OPTIMISTIC_LOCK; ENDPOINT_IN_USE while events or schedules point to it
    /// (UsedEndpoint, with `endpoint` as its id).
    [[nodiscard]] Result<Done> remove(const std::string& endpoint, std::uint64_t version = 0) const;

private:
    Client client_;
};

/// Appends to streams of a server, and reads them. Cheap to copy; thread-safe.
class RemoteStreams {
public:
    /// Opens no connection yet.
    explicit RemoteStreams(Client client) : client_(std::move(client)) {}

    /// Appends 1 to 1,000 events, all or none. The same batch under the same ids is stored once
    /// (`Appended::replayed`). With `request_key` as in `RemoteEvents::create`. Errors:
    /// OPTIMISTIC_LOCK (Conflict); EVENT_ID_REUSED (ReusedIds); STREAM_ARCHIVED and STREAM_DELETED
    /// (RefusedStream); VALIDATION_FAILED.
    [[nodiscard]] Result<Appended> append(const StreamId& stream, Expected expected,
                                          const std::vector<NewRecordedEvent>& events,
                                          const std::string& request_key = {}) const;
    /// Events of the stream, by as many requests as they need. Without a stream: version 0 and no
    /// events.
    [[nodiscard]] Result<StreamPart> read(const StreamId& stream,
                                          const StreamRange& range = {}) const;

private:
    Client client_;
};

/// A lock that a server granted.
struct RemoteLock {
    /// Its name.
    std::string name;
    /// The name that its holder gave.
    std::string holder;
    /// The secret with which the holder renews and releases it.
    std::string token;
    /// Greater than that of any earlier holder, for guarded writes.
    std::uint64_t fencing_token = 0;
    /// End of the lease by the server's clock, unless the holder renews it.
    Instant expires_at{};
};

/// Named locks of a server, which its other clients and the engines on its database share. Nothing
/// renews them by itself: call `renew` before the lease ends. Cheap to copy; thread-safe.
class RemoteLocks {
public:
    /// Opens no connection yet.
    explicit RemoteLocks(Client client) : client_(std::move(client)) {}

    /// Takes the lock if it is free. `lease`: 1 s to 24 h. `wait`: how long the server waits for
    /// a holder to leave, up to 60 s and shorter than `ClientOptions::timeout`. Errors: LOCK_HELD
    /// with the holder (HeldLock); VALIDATION_FAILED. After UNREACHABLE the lock may be held until
    /// the end of the lease.
    [[nodiscard]] Result<RemoteLock> try_lock(const std::string& name, const std::string& holder,
                                              std::chrono::seconds lease = std::chrono::seconds{30},
                                              std::chrono::seconds wait = {}) const;
    /// Sets a new lease, from now on, and returns the lock with its new end. Errors: LEASE_LOST
    /// (LostLease) if it is over.
    [[nodiscard]] Result<RemoteLock> renew(const RemoteLock& lock,
                                           std::chrono::seconds lease = std::chrono::seconds{
                                               30}) const;
    /// Releases it. Errors: LEASE_LOST or LOCK_NOT_HELD if it was over.
    [[nodiscard]] Result<Done> unlock(const RemoteLock& lock) const;

private:
    Client client_;
};

}  // namespace sundial

#pragma GCC visibility pop
