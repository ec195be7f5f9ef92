#pragma once

#include "domain/error.hpp"

namespace sundial {

template <class T>
using ClockResult = Result<T, ValidationFailed, ClockNotTest>;

}  // namespace sundial
