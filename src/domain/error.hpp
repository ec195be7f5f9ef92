#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "domain/event_status.hpp"
#include "domain/ids.hpp"
#include "domain/stream.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// The lock has a holder; a later request may succeed.
struct LockHeld {
    std::string name;
    std::string holder;
    Instant expires_at;
};
/// The lock token is wrong or no longer valid: released, or the lock has another holder since.
struct LockNotHeld {
    std::string name;
};
/// LEASE_LOST of a lock: the caller held it, but the lease has expired or a greater token was
/// granted.
struct LockLeaseLost {
    std::string name;
    FencingToken held;
};

/// A stream is not at the version that the caller expected. OPTIMISTIC_LOCK, like that of a row.
struct StreamOptimisticLock {
    StreamId stream;
    ExpectedVersion expected;
    std::uint64_t actual;
    std::vector<Uuid> duplicates{};  // the batch is stored, but not by this expectation
    unsigned attempts = 1;
};

/// Why a known event id cannot be used.
enum class EventIdReuse : std::uint8_t {
    partial,            // other events of its batch are unknown
    different_order,    // the batch is stored, but in another order or with gaps
    different_content,  // another type, schema version or payload
    other_stream,
    in_batch  // twice in this batch
};
[[nodiscard]] std::string_view to_string(EventIdReuse reuse);
struct EventIdConflict {
    Uuid event_id;
    EventIdReuse reason;
    std::optional<StreamId> stream{};  // the stream that has it
    std::uint64_t version = 0;
};
struct EventIdReused {
    std::vector<EventIdConflict> conflicts;
};
/// Nothing was ever appended to it.
struct AggregateNotFound {
    StreamId stream;
};
struct StreamDeleted {
    StreamId stream;
};
struct StreamArchived {
    StreamId stream;
};
/// The checkpoint has moved from the position that the caller named.
struct CheckpointConflict {
    std::string name;
    std::uint64_t position;  // the current one
};
/// A greater fencing token was seen: another consumer has taken over. LEASE_LOST.
struct CheckpointLost {
    std::string name;
    std::uint64_t fencing_token;  // the caller's
};
/// The event that the checkpoint names is not the one that the store has at its position: one of
/// the two belongs to another history, such as a restored backup.
struct FeedDiverged {
    std::uint64_t position;
    Uuid event_id;
};
/// The aggregate cannot be loaded: it has an event of a type it does not know.
struct UnknownEventType {
    std::string type;
    std::uint32_t schema_version;
};
/// Item `index` of a batch, or the whole batch, is larger than allowed.
struct PayloadTooLarge {
    std::optional<std::size_t> index;
    std::size_t limit;
    std::string what;  // "payload", "metadata", "batch"
};

/// One invalid member of a request. `pointer` is a JSON pointer into the request (or `?name` for a
/// query parameter); `code` is one of the lower-case codes of the API reference.
struct FieldError {
    std::string pointer;
    std::string code;
    std::string message;
};
struct ValidationFailed {
    std::vector<FieldError> errors;
};
enum class Noun : std::uint8_t {
    user,
    schedule,
    event,
    endpoint,
    operation,
    api_key,
    lock,
    attempt,
    instance,
    calendar
};
struct NotFound {
    Noun noun;
    std::string id;  // as in the request
};
/// The event's state does not allow `action`.
struct InvalidStateTransition {
    EventId id;
    std::string action;
    EventStatus status;
    std::optional<Claimant> claimed_by;
    Version version;
    std::optional<WaitReason> waiting_for{};
};
/// The row is past the version that the claim returned: it has another holder, or is finished.
struct LeaseLost {
    EventId id;
    Version held;
};
/// A row is not at the version that the caller expected.
struct OptimisticLock {
    Noun noun;
    std::string id;
    Version expected;
    Version actual;
};
struct DuplicateIdempotencyKey {
    IdempotencyKey key;
    EventId existing;
    EventStatus status;
};
struct DuplicateExternalId {
    Noun noun;
    std::string external_id;
    Uuid existing;
};
struct EndpointDisabled {
    EndpointId id;
    std::string reason;
};
/// The endpoint cannot be deleted.
struct EndpointInUse {
    EndpointId id;
    std::uint64_t events = 0;              // live events that point to it
    std::vector<std::string> schedules{};  // some of those that do: ids, or ext: and external ids
    bool claimed = false;  // some of the events are claimed, so they cannot be cancelled
};
/// A payload template uses a name that no user has.
struct InvalidTemplate {
    std::string name;
    std::string message;
};
struct InvalidCursor {};
/// The clock can be moved only if it was started as a test clock.
struct ClockNotTest {};
/// No key has the role ADMIN, so the next key must have it: only ADMIN keys can manage keys.
struct FirstKeyNotAdmin {};
/// The change would leave keys, but no ADMIN key without an expiry to manage them.
struct LastAdminKey {
    enum class Refused : std::uint8_t { expiry, revocation };
    Refused refused;
};
/// A stop was requested before the call finished.
struct Stopped {};
/// The maximum number of operations of that kind is running already.
struct TooManyOperations {
    std::size_t limit;
};

/// Every reason to refuse a request: a closed set, so that an edge that visits it without a default
/// branch compiles only once it handles a new reason.
using AnyReason =
    std::variant<ValidationFailed, NotFound, InvalidStateTransition, LeaseLost, OptimisticLock,
                 DuplicateIdempotencyKey, DuplicateExternalId, EndpointDisabled, EndpointInUse,
                 InvalidTemplate, InvalidCursor, ClockNotTest, FirstKeyNotAdmin, LastAdminKey,
                 Stopped, TooManyOperations, StreamOptimisticLock, EventIdReused, AggregateNotFound,
                 StreamDeleted, StreamArchived, PayloadTooLarge, CheckpointConflict, CheckpointLost,
                 FeedDiverged, UnknownEventType, LockHeld, LockNotHeld, LockLeaseLost>;

template <class T, class Variant>
inline constexpr bool is_reason_of = false;
template <class T, class... Reasons>
inline constexpr bool is_reason_of<T, std::variant<Reasons...>> = (std::same_as<T, Reasons> || ...);

/// One of a few reasons. Converts to every set that contains these, and to Error.
template <class... Reasons>
class SomeReason : public std::variant<Reasons...> {
    static_assert((is_reason_of<Reasons, AnyReason> && ...));
    using Variant = std::variant<Reasons...>;

public:
    using Variant::Variant;
    template <class... Fewer>
        requires(is_reason_of<Fewer, Variant> && ...)
    SomeReason(SomeReason<Fewer...> fewer)  // NOLINT(google-explicit-constructor)
        : Variant(std::visit([](auto& reason) -> Variant { return std::move(reason); }, fewer)) {}
};

/// One of the reasons above. Its special members are defined in error.cpp and nowhere else: a
/// variant of 29 alternatives that every source file instantiates for itself costs a third of the
/// compile time of a use case and of the size of its code.
class Error : public AnyReason {
public:
    template <class Reason>
        requires is_reason_of<Reason, AnyReason>
    Error(Reason reason);  // NOLINT(google-explicit-constructor)
    template <class... Reasons>
    Error(SomeReason<Reasons...> some)  // NOLINT(google-explicit-constructor)
        : Error(std::visit([](auto& reason) -> Error { return std::move(reason); }, some)) {}
    Error(const Error& other);
    Error(Error&& other) noexcept;
    Error& operator=(const Error& other);
    Error& operator=(Error&& other) noexcept;
    ~Error();
};

template <class... Reasons>
struct ErrorOfReasons : std::type_identity<SomeReason<Reasons...>> {};
template <class Reason>
struct ErrorOfReasons<Reason> : std::type_identity<Reason> {};
template <>
struct ErrorOfReasons<> : std::type_identity<Error> {};

/// A value, or one of the listed reasons: `Result<Lock, LockNotHeld, LockLeaseLost>`. Without a
/// list, any reason. A result with fewer reasons converts to one with more.
template <class T, class... Reasons>
using Result = base::Result<T, typename ErrorOfReasons<Reasons...>::type>;

/// A ValidationFailed with one field error.
[[nodiscard]] inline ValidationFailed invalid(std::string pointer, std::string code,
                                              std::string message) {
    return {{{std::move(pointer), std::move(code), std::move(message)}}};
}

}  // namespace sundial
