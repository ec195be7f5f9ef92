#include "adapters/system/clocks.hpp"

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>

#include "adapters/system/ids.hpp"
#include "sundial/timing.hpp"

namespace sundial::system {

Instant real_time() {
    return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

std::chrono::microseconds BootClock::now() const {
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_nsec / 1000);
}

}  // namespace sundial::system

namespace sundial {
namespace {

class RealTiming final : public Timing {
public:
    Moment now() override { return std::chrono::steady_clock::now(); }

    void sleep_until(Moment when, const std::stop_token& stop) override {
        std::mutex mutex;
        std::unique_lock lock{mutex};
        std::condition_variable_any stopped;
        stopped.wait_until(lock, stop, when, [] { return false; });
    }

    double unit() override { return random_.unit(); }

private:
    system::SystemRandom random_;
};

}  // namespace

Timing& real_timing() {
    static RealTiming timing;
    return timing;
}

}  // namespace sundial
