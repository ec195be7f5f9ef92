#include "sundial/single_flight.hpp"

#include <thread>

namespace sundial {

void launch_thread(std::function<void()> work) { std::thread{std::move(work)}.detach(); }

}  // namespace sundial
