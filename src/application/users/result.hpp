#pragma once

#include "domain/error.hpp"

namespace sundial {

template <class T>
using UserResult = Result<T, ValidationFailed, NotFound, OptimisticLock, DuplicateExternalId>;

}  // namespace sundial
