#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "domain/claimant.hpp"
#include "domain/event_status.hpp"
#include "domain/ids.hpp"
#include "domain/lock_error.hpp"
#include "domain/obstacle.hpp"
#include "domain/stream_error.hpp"

namespace sundial {

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
enum class Noun : std::uint8_t { user, schedule, event, endpoint, operation, api_key };
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
/// A payload template names something that no user has.
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
/// A stop was requested before it was done.
struct Stopped {};
/// The maximum number of operations of that kind is running already.
struct TooManyOperations {
    std::size_t limit;
};

/// Every reason to refuse a request: a closed set, so that an edge that visits it without a default
/// branch compiles only once it handles a new reason.
using AnyReason =
    std::variant<ValidationFailed, NotFound, InvalidStateTransition, LeaseLost, OptimisticLock,
                 DuplicateIdempotencyKey, DuplicateExternalId, EndpointDisabled, InvalidTemplate,
                 InvalidCursor, ClockNotTest, FirstKeyNotAdmin, LastAdminKey, Stopped,
                 TooManyOperations, StreamOptimisticLock, EventIdReused, AggregateNotFound,
                 StreamDeleted, StreamArchived, PayloadTooLarge, CheckpointConflict, CheckpointLost,
                 FeedDiverged, UnknownEventType, LockHeld, LockNotHeld, LockLeaseLost>;

template <class T, class Variant>
inline constexpr bool is_reason_of = false;
template <class T, class... Reasons>
inline constexpr bool is_reason_of<T, std::variant<Reasons...>> = (std::same_as<T, Reasons> || ...);

/// One of the reasons above. Its special members are defined in error.cpp and nowhere else: a
/// variant of 28 alternatives that every source file instantiates for itself costs a third of the
/// compile time of a use case and of the size of its code.
class Error : public AnyReason {
public:
    template <class Reason>
        requires is_reason_of<Reason, AnyReason>
    Error(Reason reason);  // NOLINT(google-explicit-constructor)
    Error(const Error& other);
    Error(Error&& other) noexcept;
    Error& operator=(const Error& other);
    Error& operator=(Error&& other) noexcept;
    ~Error();
};
template <class T>
using Result = base::Result<T, Error>;

/// A ValidationFailed with one field error.
[[nodiscard]] inline ValidationFailed invalid(std::string pointer, std::string code,
                                              std::string message) {
    return {{{std::move(pointer), std::move(code), std::move(message)}}};
}

}  // namespace sundial
