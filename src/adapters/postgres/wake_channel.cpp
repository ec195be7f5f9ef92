#include "adapters/postgres/wake_channel.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "adapters/postgres/connection.hpp"
#include "adapters/postgres/transaction_sql.hpp"
#include "application/ports/failures.hpp"
#include "base/check.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

constexpr auto between_hints = 100ms;
constexpr std::chrono::milliseconds channel_silence = 10s;
constexpr std::chrono::milliseconds first_pause = 1s, longest_pause = 10s;
constexpr Instant long_ago{};

void run_one(Connection& connection, const Statement& statement) {
    const Call call{statement};
    connection.run({&call, 1}, false, channel_silence);
}

}  // namespace

WakeChannel::WakeChannel(Settings settings, Wakeups& local, base::Log& log)
    : settings_{std::move(settings)},
      local_{local},
      log_{log},
      signal_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    base::check(signal_ >= 0);
    thread_ = std::thread{[this] { run(); }};
}

WakeChannel::~WakeChannel() {
    stopping_ = true;
    signal_thread();
    thread_.join();
    close(signal_);
}

void WakeChannel::due_at(Instant when) {
    local_.due_at(when);
    if (when > settings_.now() + settings_.tick) return;
    if (!to_notify_.exchange(true)) signal_thread();
}

void WakeChannel::signal_thread() const {
    const std::uint64_t one = 1;
    static_cast<void>(!write(signal_, &one, sizeof one));  // a full counter also wakes the thread
}

void WakeChannel::run() {
    for (std::chrono::milliseconds pause = first_pause; !stopping_;
         pause = std::min(pause * 2, longest_pause)) {
        try {
            listen();
            return;
        } catch (const std::exception& error) {
            if (listening_.exchange(false)) pause = first_pause;
            warn(std::string{"no hints from other instances until the connection is back: "} +
                 error.what());
        }
        const auto until = std::chrono::steady_clock::now() + pause;
        while (!stopping_ && std::chrono::steady_clock::now() < until) {
            to_notify_ = false;  // before sending: a hint that arrives meanwhile is sent, too
            wait(-1, pause);
        }
    }
}

void WakeChannel::listen() {
    Connection connection{settings_.url, log_};
    if (!connection.is_direct()) {
        return warn(
            "storage.listen_url leads to a pooler, which does not pass on notifications: events of "
            "other instances are found once per tick. Name the server itself");
    }
    run_one(connection, sql::listen);
    listening_ = true;
    local_.due_at(long_ago);  // hints may have been missed while not listening
    serve(connection);
}

void WakeChannel::serve(Connection& connection) {
    auto next_hint = std::chrono::steady_clock::now();
    while (!stopping_) {
        if (connection.was_notified()) local_.due_at(long_ago);
        const auto now = std::chrono::steady_clock::now();
        if (!to_notify_) {
            wait(connection.socket(), -1ms);
        } else if (now < next_hint) {
            wait(connection.socket(),
                 std::chrono::ceil<std::chrono::milliseconds>(next_hint - now));
        } else {
            to_notify_ =
                false;  // before sending, so that a hint that arrives meanwhile is sent, too
            run_one(connection, sql::notify);
            next_hint = std::chrono::steady_clock::now() + between_hints;
        }
    }
}

void WakeChannel::wait(int socket, std::chrono::milliseconds at_most) {
    std::array<pollfd, 2> polled{{{.fd = signal_, .events = POLLIN, .revents = 0},
                                  {.fd = socket, .events = POLLIN, .revents = 0}}};
    poll(polled.data(), polled.size(), static_cast<int>(at_most.count()));
    std::uint64_t times = 0;
    static_cast<void>(!read(signal_, &times, sizeof times));
}

void WakeChannel::warn(std::string message) {
    log_.write({.level = base::LogLevel::warn,
                .event_name = {},
                .message = std::move(message),
                .correlation_id = {},
                .fields = {}});
}

}  // namespace sundial::postgres
