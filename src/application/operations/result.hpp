#pragma once

#include "domain/error.hpp"

namespace sundial {

template <class T>
using OperationResult = Result<T, NotFound, OptimisticLock, TooManyOperations>;

}  // namespace sundial
