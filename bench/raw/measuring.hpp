#pragma once

#include <cstdio>

/// Tells the reader when to note the CPU time used so far. `now`: true or false.
inline void tell_measuring(const char* now) {
    std::printf("{\"measuring\":%s}\n", now);
    std::fflush(stdout);
}
