#include "adapters/sqlite/time.hpp"

#include <utility>

namespace sundial::sqlite {
namespace {

using namespace std::chrono_literals;

constexpr auto min_logged_step = 1s;  // larger steps back are logged (reliability 4)

}  // namespace

Time::Time(Mode mode, Instant latest, std::function<Instant()> real_time, base::Log& log)
    : mode_{mode}, latest_{latest}, real_time_{std::move(real_time)}, log_{log} {}

Instant Time::now() {
    Instant latest = latest_;
    if (mode_ == Mode::test) return latest;
    const Instant real = real_time_();
    while (real > latest) {
        if (latest_.compare_exchange_weak(latest, real)) {
            behind_ = false;
            return real;
        }
    }
    if (latest - real > min_logged_step) log_step(latest - real);
    return latest;
}

void Time::log_step(std::chrono::microseconds back) {
    if (behind_.exchange(true)) return;
    const auto skew = std::chrono::duration_cast<std::chrono::milliseconds>(-back).count();
    log_.write(
        {.level = base::LogLevel::warn,
         .event_name = "clock.skew",
         .message = "the system clock went back; Sundial's time stops until the clock catches up",
         .correlation_id = {},
         .fields = {{"skewMs", static_cast<std::int64_t>(skew)}}});
}

}  // namespace sundial::sqlite
