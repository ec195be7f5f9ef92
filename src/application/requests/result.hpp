#pragma once

#include "domain/error.hpp"

namespace sundial {

template <class T>
using RequestResult = Result<T, NotFound>;

}  // namespace sundial
