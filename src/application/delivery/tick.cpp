#include "application/delivery/tick.hpp"

namespace sundial {

TickCounters Tick::run(std::optional<std::uint64_t> limit) {
    return loop_.take_over().drain(limit);
}

}  // namespace sundial
