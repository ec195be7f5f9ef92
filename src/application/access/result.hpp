#pragma once

#include "domain/error.hpp"

namespace sundial {

template <class T>
using ApiKeyResult = Result<T, ValidationFailed, NotFound, FirstKeyNotAdmin, LastAdminKey>;

}  // namespace sundial
