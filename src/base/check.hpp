#pragma once

#include <source_location>

namespace sundial::base {

/// Ends the process and prints the location of the call if `condition` is false. Enabled in every
/// build. Use it to detect bugs, never to check input.
void check(bool condition, std::source_location where = std::source_location::current());

}  // namespace sundial::base
