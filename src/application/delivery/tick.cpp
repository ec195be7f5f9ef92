#include "application/delivery/tick.hpp"

namespace sundial {

Tally Tick::run(std::optional<std::uint64_t> limit) { return loop_.take_over().drain(limit); }

}  // namespace sundial
