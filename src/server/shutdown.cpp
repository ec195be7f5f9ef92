#include "server/shutdown.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>
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
// After the first stop signal, so that load balancers notice readyz.
constexpr std::chrono::seconds still_accepting{1};
constexpr std::chrono::seconds answers_pending{5};  // for requests in progress at the end

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

void Signals::wait_for_stop(const std::function<void()>& reload) const {
    const bool has_terminal = ::isatty(STDIN_FILENO) != 0;
    const sigset_t set = all_signals();
    for (int signal = 0;;) {
        sigwait(&set, &signal);
        if (signal != SIGHUP || (has_terminal && ::isatty(STDIN_FILENO) == 0)) return;
        reload();
    }
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

void shut_down(const ServingParts& parts, const Signals& signals) {
    auto& [engine, server, gate, health, log] = parts;
    gate.drain();
    if (health) health->drain();
    engine.end_waits();
    log.write({.level = base::LogLevel::info,
               .event_name = "server.draining",
               .message = "stopping: finishing the requests and deliveries in progress",
               .correlation_id = {},
               .fields = {{"inFlight", static_cast<std::int64_t>(server.in_flight())}}});
    signals.exit_if_within(still_accepting);
    signals.exit_on_next();
    server.stop_accepting();
    engine.stop();
    if (!server.drain(answers_pending)) {
        // A handler may run for an unlimited time, and the objects that it uses must outlive it. So
        // the process ends instead, which is safe: uncommitted work is rolled back.
        log.write(
            {.level = base::LogLevel::warn,
             .event_name = "server.drain_cut_short",
             .message = "stopping although requests are in progress: the time limit has passed",
             .correlation_id = {},
             .fields = {}});
        log.flush();
        ::_exit(0);
    }
    server.stop();
    if (health) health->stop();
}

OnFatal end_at_once(system::JsonLog& log) {
    return [&log](const std::string& why) {
        log.flush();
        std::fprintf(stderr, "sundial: %s\n", why.c_str());
        ::_exit(1);
    };
}

}  // namespace sundial::server
