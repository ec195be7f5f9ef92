#pragma once

#include "domain/error.hpp"

namespace sundial {

/// The errors of each module's use cases. Each edge converts all of them in one place
/// (adapters/http/api/problems.cpp, embedded/answers.cpp). A result with fewer errors converts to
/// these.

template <class T>
using ApiKeyResult = Result<T, ValidationFailed, NotFound, FirstKeyNotAdmin, LastAdminKey>;

template <class T>
using CalendarResult = Result<T, ValidationFailed, NotFound>;

template <class T>
using ClockResult = Result<T, ValidationFailed, ClockNotTest>;

template <class T>
using EndpointResult = Result<T, ValidationFailed, NotFound, InvalidStateTransition, OptimisticLock,
                              DuplicateIdempotencyKey, DuplicateExternalId, EndpointDisabled,
                              EndpointInUse, InvalidTemplate, TooManyOperations>;

template <class T>
using EventResult =
    Result<T, ValidationFailed, NotFound, InvalidStateTransition, OptimisticLock,
           DuplicateIdempotencyKey, DuplicateExternalId, InvalidTemplate, TooManyOperations>;

template <class T>
using OperationResult = Result<T, NotFound, OptimisticLock, TooManyOperations>;

template <class T>
using PullResult =
    Result<T, ValidationFailed, NotFound, InvalidStateTransition, LeaseLost, EndpointDisabled>;

/// Lookups by id or external id, and reads of one object.
template <class T>
using LookupResult = Result<T, NotFound>;

template <class T>
using ScheduleResult = Result<T, ValidationFailed, NotFound, InvalidStateTransition, OptimisticLock,
                              DuplicateIdempotencyKey, DuplicateExternalId, InvalidTemplate>;

template <class T>
using StreamResult = Result<T, ValidationFailed, StreamOptimisticLock, EventIdReused,
                            AggregateNotFound, StreamDeleted, StreamArchived, PayloadTooLarge,
                            CheckpointConflict, CheckpointLost, FeedDiverged>;

template <class T>
using UserResult = Result<T, ValidationFailed, NotFound, OptimisticLock, DuplicateExternalId>;

}  // namespace sundial
