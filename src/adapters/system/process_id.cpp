#include "adapters/system/process_id.hpp"

#include <unistd.h>

namespace sundial::system {

std::int64_t process_id() { return ::getpid(); }

}  // namespace sundial::system
