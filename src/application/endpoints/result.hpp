#pragma once

#include "domain/error.hpp"

namespace sundial {

template <class T>
using EndpointResult = Result<T, ValidationFailed, NotFound, InvalidStateTransition, OptimisticLock, DuplicateIdempotencyKey, DuplicateExternalId, EndpointDisabled, EndpointInUse, InvalidTemplate, TooManyOperations>;

}  // namespace sundial
