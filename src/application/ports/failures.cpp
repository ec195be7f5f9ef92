#include "application/ports/failures.hpp"

namespace sundial {

// Here, so that each type is known by one vtable in the whole program.
Unavailable::~Unavailable() = default;
OutcomeUnknown::~OutcomeUnknown() = default;
Corrupt::~Corrupt() = default;
CannotStart::~CannotStart() = default;

}  // namespace sundial
