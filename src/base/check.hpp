#pragma once

#include <source_location>

namespace sundial::base {

/// Ends the process with the place of the call when `condition` is false. On in every build; for
/// what is a bug if false, never for input.
void check(bool condition, std::source_location where = std::source_location::current());

}  // namespace sundial::base
