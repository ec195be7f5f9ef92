#pragma once

#include "domain/error.hpp"

namespace sundial {

template <class T>
using LockResult = Result<T, NotFound>;

}  // namespace sundial
