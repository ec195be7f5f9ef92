#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

// Lets clang warn about pointers into a Result that no longer exists.
#if defined(__clang__)
#define SUNDIAL_POINTS_INTO_IT [[clang::lifetimebound]]
#else
#define SUNDIAL_POINTS_INTO_IT
#endif

namespace sundial::embedding {

/// Details of OPTIMISTIC_LOCK for an append: the stream is not at the expected version.
struct Conflict {
    std::string stream_type;    // the type of the stream
    std::string stream_id;      // its id in that type
    std::int64_t expected = 0;  // as `Expected::number`: -1 any, 0 no stream, -2 the stream exists
    std::uint64_t actual = 0;   // the stream's version; 0: there is no stream
    /// Not empty if the stream already has the batch, under these ids, but from an append with
    /// another expected version.
    std::vector<std::string> duplicate_event_ids{};
    unsigned attempts = 1;  // number of calls that ended in this conflict
    friend bool operator==(const Conflict&, const Conflict&) = default;
};

/// Details of SQL_FAILED: the codes of the database that refused a statement of yours.
struct SqlFailure {
    std::string sqlstate;    // PostgreSQL's: "23505" is a violated unique constraint; else empty
    int sqlite = 0;          // SQLite's extended result code: 2067 is the same; else 0
    std::string constraint;  // the violated one, if PostgreSQL names it
    friend bool operator==(const SqlFailure&, const SqlFailure&) = default;
};

/// Details of OPTIMISTIC_LOCK for a user, an event or a schedule.
struct VersionConflict {
    std::string id;              // of the object
    std::uint64_t expected = 0;  // the version that the call named
    std::uint64_t actual = 0;    // the version that it has
    friend bool operator==(const VersionConflict&, const VersionConflict&) = default;
};
/// Details of LOCK_HELD.
struct HeldLock {
    std::string name;                                             // of the lock
    std::string holder;                                           // the name that its holder gave
    std::chrono::sys_time<std::chrono::microseconds> expires_at;  // unless its holder renews it
    friend bool operator==(const HeldLock&, const HeldLock&) = default;
};
/// Details of LEASE_LOST: of an event, a lock or a checkpoint.
struct LostLease {
    std::string id;          // of the event, or the name of the lock or checkpoint
    std::uint64_t held = 0;  // the version or the fencing token that it was held under
    friend bool operator==(const LostLease&, const LostLease&) = default;
};
/// Details of DUPLICATE_IDEMPOTENCY_KEY and DUPLICATE_EXTERNAL_ID.
struct Duplicate {
    std::string name;      // the key, or the external id
    std::string existing;  // the id of the object that has it
    std::string status{};  // of that object, if it is an event
    friend bool operator==(const Duplicate&, const Duplicate&) = default;
};
/// Details of INVALID_STATE_TRANSITION.
struct WrongState {
    std::string event_id;       // a UUID
    std::string status;         // PENDING, PROCESSING, COMPLETED, FAILED or CANCELLED
    bool claimed = false;       // a handler or worker has it
    std::string waiting_for{};  // as Event::waiting_for
    std::uint64_t version = 0;  // of the event
    friend bool operator==(const WrongState&, const WrongState&) = default;
};
/// Details of VALIDATION_FAILED and PAYLOAD_TOO_LARGE: every invalid member of the request.
struct InvalidField {
    std::string field;    // its name in C++: "local_time", "rule.cron"; empty: the whole request
    std::string code;     // "out_of_range", "bad_format", …
    std::string message;  // the accepted form or range
    friend bool operator==(const InvalidField&, const InvalidField&) = default;
};
/// All invalid fields of a request.
using InvalidFields = std::vector<InvalidField>;
/// Details of EVENT_ID_REUSED, for each such id.
struct ReusedId {
    std::string event_id;  // the id that was used before
    std::string reason;    // PARTIAL, DIFFERENT_ORDER, DIFFERENT_CONTENT, OTHER_STREAM, IN_BATCH
    std::string stream_type{};  // of the stream that has it
    std::string stream_id{};    // of the stream that has it
    friend bool operator==(const ReusedId&, const ReusedId&) = default;
};
/// All reused ids of a request.
using ReusedIds = std::vector<ReusedId>;
/// Details of USER_NOT_FOUND, EVENT_NOT_FOUND, ENDPOINT_NOT_FOUND and so on.
struct Missing {
    std::string id;  // as the call gave it
    friend bool operator==(const Missing&, const Missing&) = default;
};
/// Details of AGGREGATE_NOT_FOUND, STREAM_DELETED and STREAM_ARCHIVED of a call of Streams.
struct RefusedStream {
    /// The type of the stream.
    std::string stream_type;
    /// Its id in that type.
    std::string stream_id;
    friend bool operator==(const RefusedStream&, const RefusedStream&) = default;
};
/// Details of CHECKPOINT_CONFLICT.
struct MovedCheckpoint {
    /// The name of the checkpoint.
    std::string name;
    std::uint64_t position = 0;  // its current position
    friend bool operator==(const MovedCheckpoint&, const MovedCheckpoint&) = default;
};
/// Details of FEED_DIVERGED: the feed does not have the event of the checkpoint at its position.
struct DivergedFeed {
    /// The position in the feed.
    std::uint64_t position = 0;
    std::string event_id;  // of the checkpoint
    friend bool operator==(const DivergedFeed&, const DivergedFeed&) = default;
};
/// Details of ENDPOINT_DISABLED.
struct StoppedEndpoint {
    /// A UUID.
    std::string endpoint_id;
    /// The reason; may be empty.
    std::string reason;
    friend bool operator==(const StoppedEndpoint&, const StoppedEndpoint&) = default;
};
/// Details of ENDPOINT_IN_USE.
struct UsedEndpoint {
    /// A UUID.
    std::string endpoint_id;
    std::uint64_t events = 0;              // that wait for it
    std::vector<std::string> schedules{};  // some of those that use it: ids, or "ext:" and names
    friend bool operator==(const UsedEndpoint&, const UsedEndpoint&) = default;
};
/// Details of INVALID_TEMPLATE.
struct WrongTemplate {
    std::string name;  // the name that the template uses and no user has
    friend bool operator==(const WrongTemplate&, const WrongTemplate&) = default;
};
/// Details of IDEMPOTENCY_KEY_REUSED and IDEMPOTENCY_IN_PROGRESS.
struct UsedKey {
    /// The key that the call gave.
    std::string key;
    friend bool operator==(const UsedKey&, const UsedKey&) = default;
};

/// Whether and how a failed call may succeed if it is repeated.
enum class Repeat : std::uint8_t {
    never,        // the same call fails again
    transaction,  // at once, with all that its transaction has read: after a conflict
    later         // the same call, after a while: the storage is unavailable or busy
};
/// The class of a PostgreSQL or SQLite error.
[[nodiscard]] Repeat repeat_of(const SqlFailure& failure);

/// Why a call failed. `code` is for programs: one of the HTTP API's (VALIDATION_FAILED,
/// USER_NOT_FOUND, STORAGE_UNAVAILABLE, …) or of the library's own (CANNOT_START, REENTRANT_CALL,
/// WRONG_PROCESS, SQL_FAILED). `detail` names the fault and its correction, for people. Some codes
/// have `data` for programs:
///
///     if (const auto* conflict = std::get_if<sundial::Conflict>(&error.data)) {
///         read_again_from(conflict->actual);
///     }
struct Error {
    /// The details of a code; `std::monostate` for codes without details.
    using Data = std::variant<std::monostate, Conflict, SqlFailure, VersionConflict, HeldLock,
                              LostLease, Duplicate, WrongState, InvalidFields, ReusedIds, Missing,
                              RefusedStream, MovedCheckpoint, DivergedFeed, StoppedEndpoint,
                              UsedEndpoint, WrongTemplate, UsedKey>;
    std::string code;  // for programs: "USER_NOT_FOUND"
    std::string detail;
    Data data{};  // the details

    /// Whether the call may succeed if it is repeated; COMMIT_OUTCOME_UNKNOWN may have succeeded.
    [[nodiscard]] Repeat repeat() const;
    friend bool operator==(const Error&, const Error&) = default;
};

namespace detail {

/// Ends the program with a message, because it read a value or an error that the Result does not
/// have.
[[noreturn]] void misused(const char* why);
/// Throws the exception of the error's code (sundial/exceptions.hpp).
[[noreturn]] void throw_error(const Error& error);

}  // namespace detail

/// A value, or the Error in its place. Check before use:
///
///     if (const auto user = engine.create_user(ada)) greet(user->id);
///     else report(user.error().detail);
///
/// `*` and `error()` of a temporary Result return by value, so a loop or a reference may keep it.
/// `->` points into the Result, and dangles once it is destroyed:
///
///     if (const auto page = streams.feed(0)) {
///         for (const auto& event : page->events) report(event);
///     }
template <class T>
class [[nodiscard]] Result {
public:
    /// Success.
    Result(T value) : content_(std::move(value)) {}
    /// Failure.
    Result(Error error) : content_(std::move(error)) {}

    /// Whether there is a value.
    [[nodiscard]] bool has_value() const { return content_.index() == 0; }
    /// Whether there is a value.
    explicit operator bool() const { return has_value(); }
    /// Requires a value: without one, the program ends.
    T& operator*() & { return *value_or_end(); }
    /// The same.
    const T& operator*() const& { return *const_cast<Result*>(this)->value_or_end(); }
    /// The same, by value.
    T operator*() && { return std::move(*value_or_end()); }
    /// Requires a value: without one, the program ends.
    T* operator->() SUNDIAL_POINTS_INTO_IT { return value_or_end(); }
    /// The same.
    const T* operator->() const SUNDIAL_POINTS_INTO_IT {
        return const_cast<Result*>(this)->value_or_end();
    }
    /// Requires an error: without one, the program ends.
    [[nodiscard]] const Error& error() const& { return *const_cast<Result*>(this)->error_or_end(); }
    /// The same, by value.
    [[nodiscard]] Error error() && { return std::move(*error_or_end()); }

    /// For programs that use exceptions: the value, or throws the exception of the error's code
    /// (`sundial/exceptions.hpp`).
    [[nodiscard]] T value() const& {
        if (!has_value()) detail::throw_error(error());
        return **this;
    }
    /// The same, moved out.
    [[nodiscard]] T value() && {
        if (!has_value()) detail::throw_error(error());
        return std::move(*value_or_end());
    }
    /// The value, or `other` without one.
    [[nodiscard]] T value_or(T other) const& { return has_value() ? **this : std::move(other); }
    /// The same, moved out.
    [[nodiscard]] T value_or(T other) && {
        return has_value() ? std::move(*value_or_end()) : std::move(other);
    }
    /// The result of `next`, which takes the value and returns a Result, or this error.
    template <class Next>
    auto and_then(Next&& next) && -> std::invoke_result_t<Next, T&&> {
        if (!has_value()) return std::move(*error_or_end());
        return std::forward<Next>(next)(std::move(*value_or_end()));
    }
    /// The same, with a copy of the value.
    template <class Next>
    auto and_then(Next&& next) const& -> std::invoke_result_t<Next, const T&> {
        if (!has_value()) return error();
        return std::forward<Next>(next)(**this);
    }

private:
    Error* error_or_end() {
        Error* error = std::get_if<Error>(&content_);
        if (error == nullptr) detail::misused("error() of a Result that has a value");
        return error;
    }
    T* value_or_end() {
        T* value = std::get_if<T>(&content_);
        if (value == nullptr) detail::misused(std::get_if<Error>(&content_)->code.c_str());
        return value;
    }

    std::variant<T, Error> content_;
};

/// The value of a Result that only reports success.
struct Done {};

}  // namespace sundial::embedding

#undef SUNDIAL_POINTS_INTO_IT

#pragma GCC visibility pop
