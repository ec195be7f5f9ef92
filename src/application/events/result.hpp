#pragma once

#include "domain/error.hpp"

namespace sundial {

template <class T>
using EventResult = Result<T, ValidationFailed, NotFound, InvalidStateTransition, OptimisticLock, DuplicateIdempotencyKey, DuplicateExternalId, InvalidTemplate, TooManyOperations>;

}  // namespace sundial
