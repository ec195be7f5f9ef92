#include "sundial/timing.hpp"

#include <condition_variable>
#include <mutex>

#include "adapters/system/ids.hpp"

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
