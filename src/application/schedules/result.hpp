#pragma once

#include "domain/error.hpp"

namespace sundial {

template <class T>
using ScheduleResult = Result<T, ValidationFailed, NotFound, InvalidStateTransition, OptimisticLock, DuplicateIdempotencyKey, DuplicateExternalId, InvalidTemplate>;

}  // namespace sundial
