#include "server/signals.hpp"

#include <unistd.h>

#include <csignal>
#include <ctime>
#include <thread>

namespace sundial::server {
namespace {

sigset_t ending_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return set;
}

sigset_t all_signals() {
    sigset_t set = ending_signals();
    sigaddset(&set, SIGHUP);
    return set;
}

constexpr int interrupted = 130;

}  // namespace

Signals::Signals() {
    const sigset_t set = all_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

std::optional<int> Signals::wait_for(std::chrono::milliseconds duration) const {
    const sigset_t set = ending_signals();
    const timespec time{.tv_sec = duration.count() / 1000,
                        .tv_nsec = duration.count() % 1000 * 1'000'000};
    const int signal = sigtimedwait(&set, nullptr, &time);
    return signal > 0 ? std::optional(signal) : std::nullopt;
}

int Signals::wait() const {
    const sigset_t set = all_signals();
    int signal = 0;
    sigwait(&set, &signal);
    return signal;
}

void Signals::exit_if_within(std::chrono::milliseconds duration) const {
    if (wait_for(duration)) ::_exit(interrupted);
}

void Signals::exit_on_next() const {
    std::thread([] {
        const sigset_t set = ending_signals();
        int signal = 0;
        sigwait(&set, &signal);
        ::_exit(interrupted);
    }).detach();
}

}  // namespace sundial::server
