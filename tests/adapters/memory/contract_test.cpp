#include "contract/memory_storage.hpp"
#include "contract/suites.hpp"

namespace sundial {

SUNDIAL_CONTRACTS(Memory, memory::memory_with(1), memory::memory_with(16));
SUNDIAL_CONTRACT(Memory, HeartbeatContract, memory::memory_with(1), memory::memory_with(16));
SUNDIAL_CONTRACT(Memory, ClaimedNextContract, memory::memory_with(1), memory::memory_with(16));

}  // namespace sundial
