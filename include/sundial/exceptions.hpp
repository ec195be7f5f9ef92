#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "sundial/result.hpp"

#pragma GCC visibility push(default)

/// Exceptions of `Result::value()`, for programs that use them. Sundial's own functions throw none.
namespace sundial {

/// Any error; `what()` is its code and detail.
class Exception : public std::runtime_error {
public:
    /// Made from this error.
    explicit Exception(embedding::Error its_error)
        : std::runtime_error(its_error.code + ": " + its_error.detail),
          error_(std::move(its_error)) {}
    /// The error with its data.
    [[nodiscard]] const embedding::Error& error() const { return error_; }

private:
    embedding::Error error_;
};

/// STREAM_DELETED, STREAM_ARCHIVED, UNKNOWN_EVENT_TYPE, FEED_DIVERGED.
class EventSourceError : public Exception {
    using Exception::Exception;
};
/// OPTIMISTIC_LOCK, CHECKPOINT_CONFLICT.
class OptimisticLockError : public EventSourceError {
public:
    using EventSourceError::EventSourceError;
    /// The id of the stream, user, event, schedule, endpoint or checkpoint.
    [[nodiscard]] std::string id() const;
    /// The number in `Conflict::expected`; for a user or an event, the version that the call named;
    /// 0 for a checkpoint.
    [[nodiscard]] std::int64_t expected() const;
    /// Its current version; the position of a checkpoint.
    [[nodiscard]] std::uint64_t actual() const;
};
/// The rules of the domain do not allow the call.
class DomainError : public Exception {
    using Exception::Exception;
};
/// INVALID_STATE_TRANSITION.
class InvalidStateTransitionError : public DomainError {
    using DomainError::DomainError;
};
/// VALIDATION_FAILED, PAYLOAD_TOO_LARGE, INVALID_TEMPLATE, INVALID_CURSOR.
class ValidationError : public DomainError {
    using DomainError::DomainError;
};
/// …_NOT_FOUND.
class NotFoundError : public Exception {
    using Exception::Exception;
};
/// DUPLICATE_IDEMPOTENCY_KEY, DUPLICATE_EXTERNAL_ID, EVENT_ID_REUSED.
class DuplicateError : public Exception {
    using Exception::Exception;
};
/// LOCK_HELD.
class LockHeldError : public Exception {
    using Exception::Exception;
};
/// LEASE_LOST, LOCK_NOT_HELD.
class LeaseLostError : public Exception {
    using Exception::Exception;
};
/// STORAGE_UNAVAILABLE, COMMIT_OUTCOME_UNKNOWN.
class StorageUnavailableError : public Exception {
    using Exception::Exception;
};
/// IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS.
class IdempotencyError : public Exception {
    using Exception::Exception;
};
/// SQL_FAILED.
class SqlFailedError : public Exception {
    using Exception::Exception;
};

inline std::string OptimisticLockError::id() const {
    const auto& data = error().data;
    if (const auto* conflict = std::get_if<embedding::Conflict>(&data)) return conflict->stream_id;
    if (const auto* row = std::get_if<embedding::VersionConflict>(&data)) return row->id;
    const auto* moved = std::get_if<embedding::MovedCheckpoint>(&data);
    return moved ? moved->name : std::string{};
}

inline std::int64_t OptimisticLockError::expected() const {
    const auto& data = error().data;
    if (const auto* conflict = std::get_if<embedding::Conflict>(&data)) return conflict->expected;
    const auto* row = std::get_if<embedding::VersionConflict>(&data);
    return row ? static_cast<std::int64_t>(row->expected) : 0;
}

inline std::uint64_t OptimisticLockError::actual() const {
    const auto& data = error().data;
    if (const auto* conflict = std::get_if<embedding::Conflict>(&data)) return conflict->actual;
    if (const auto* row = std::get_if<embedding::VersionConflict>(&data)) return row->actual;
    const auto* moved = std::get_if<embedding::MovedCheckpoint>(&data);
    return moved ? moved->position : 0;
}

}  // namespace sundial

#pragma GCC visibility pop
