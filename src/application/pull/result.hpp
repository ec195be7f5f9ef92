#pragma once

#include "domain/error.hpp"

namespace sundial {

template <class T>
using PullResult = Result<T, ValidationFailed, NotFound, InvalidStateTransition, LeaseLost, EndpointDisabled>;

}  // namespace sundial
