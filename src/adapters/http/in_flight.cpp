#include "adapters/http/in_flight.hpp"

namespace sundial::http {

std::size_t InFlight::count() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(count_);
}

bool InFlight::wait_for_none(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return none_.wait_for(lock, at_most, [this] { return count_ == 0; });
}

void InFlight::add(int change) {
    const std::lock_guard lock(mutex_);
    count_ += change;
    if (count_ == 0) none_.notify_all();
}

}  // namespace sundial::http
