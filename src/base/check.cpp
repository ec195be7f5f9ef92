#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace sundial::base {

void check(bool condition, std::source_location where) {
    if (condition) return;
    std::fprintf(stderr, "check failed at %s:%u in %s\n", where.file_name(), where.line(),
                 where.function_name());
    std::abort();
}

}  // namespace sundial::base
