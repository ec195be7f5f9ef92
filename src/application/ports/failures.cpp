#include "application/ports/failures.hpp"

namespace sundial {

// Defined here so that the whole program has one vtable for each type.
Unavailable::~Unavailable() = default;
OutcomeUnknown::~OutcomeUnknown() = default;
Corrupt::~Corrupt() = default;
CannotStart::~CannotStart() = default;

}  // namespace sundial
