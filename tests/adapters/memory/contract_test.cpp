#include "contract/suites.hpp"
#include "memory_storage.hpp"

namespace sundial {

SUNDIAL_CONTRACTS(Memory, memory::memory_with(1), memory::memory_with(16));

}  // namespace sundial
