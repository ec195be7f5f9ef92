#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "sundial/result.hpp"

#pragma GCC visibility push(default)

/// Exceptions of `Result::value()`, for programs that use them. Sundial's own functions throw none.
namespace sundial {

/// Any error; `what()` is its code and detail.
class Exception : public std::runtime_error {
public:
    /// Of this error.
    explicit Exception(embedding::Error its_error)
        : std::runtime_error(its_error.code + ": " + its_error.detail),
          error_(std::move(its_error)) {}
    /// The error with its data.
    [[nodiscard]] const embedding::Error& error() const { return error_; }

private:
    embedding::Error error_;
};

/// OPTIMISTIC_LOCK, CHECKPOINT_CONFLICT.
class OptimisticLockError : public Exception {
    using Exception::Exception;
};
/// INVALID_STATE_TRANSITION.
class InvalidStateTransitionError : public Exception {
    using Exception::Exception;
};
/// VALIDATION_FAILED, PAYLOAD_TOO_LARGE, INVALID_TEMPLATE, INVALID_CURSOR.
class ValidationError : public Exception {
    using Exception::Exception;
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
/// SQL_FAILED.
class SqlFailedError : public Exception {
    using Exception::Exception;
};

}  // namespace sundial

#pragma GCC visibility pop
