#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>

#include "sundial/timing.hpp"

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

    double unit() override {
        thread_local std::mt19937_64 generator = seeded();
        return static_cast<double>(generator() >> 11) * 0x1.0p-53;
    }

private:
    static std::mt19937_64 seeded() {
        std::random_device source;
        std::seed_seq seeds{source(), source(), source(), source()};
        return std::mt19937_64{seeds};
    }
};

}  // namespace

Timing& real_timing() {
    static RealTiming timing;
    return timing;
}

}  // namespace sundial
