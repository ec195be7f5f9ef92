#include "application/observation/recorder.hpp"

#include <exception>
#include <string>

#include "application/ports/store.hpp"

namespace sundial {

void Recorder::run() {
    const SchedulerScope scope;
    do call_all(true);
    while (wait());
    call_all(false);  // the last second's
}

void Recorder::wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_all();
}

void Recorder::stop() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
}

bool Recorder::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds{1}, [this] { return woken_ || stopping_; });
    woken_ = false;
    return !stopping_;
}

void Recorder::call_all(bool report) {
    bool failed = false;
    for (const auto& job : jobs_) {
        try {
            job();
        } catch (const std::exception& error) {
            if (report && !failing_ && !failed) {
                base::LogLine line;
                line.level = base::LogLevel::warn;
                line.message = std::string(
                                   "counters of this instance could not be stored; it tries "
                                   "again: ") +
                               error.what();
                log_.write(std::move(line));
            }
            failed = true;
        }
    }
    failing_ = failed;
}

}  // namespace sundial
