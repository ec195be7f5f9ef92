#include "adapters/postgres/session_lock.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <utility>

#include "adapters/postgres/lock_sql.hpp"
#include "application/ports/failures.hpp"
#include "base/check.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds lock_silence = 10s;

template <class... Values>
Answer run(Connection& connection, std::chrono::milliseconds wait, const Statement& statement,
           const Values&... values) {
    const Call call{statement, values...};
    return std::move(connection.run({&call, 1}, false, wait + lock_silence).front());
}

/// Whether the lock was acquired within `wait`.
bool lock(Connection& connection, const std::string& name, std::chrono::milliseconds wait) {
    if (wait <= 0ms) return run(connection, 0ms, sql::try_session_lock, name).get<bool>(0, 0);
    try {
        run(connection, wait, sql::wait_for_session_lock, name);
        return true;
    } catch (const SqlError& error) {
        if (error.state != "55P03") throw;
        return false;
    }
}

}  // namespace

std::unique_ptr<SessionLock> SessionLock::acquire(const std::string& url, const std::string& name,
                                                  std::chrono::milliseconds wait, base::Log& log) {
    auto connection = std::make_unique<Connection>(url, log);
    if (!connection->is_direct()) {
        throw CannotStart{
            "storage.url leads to a pooler, which shares sessions between clients; a session lock "
            "needs a direct connection to the server"};
    }
    try {
        run(*connection, 0ms, sql::keep_session, std::to_string(wait.count()));
        if (!lock(*connection, name, wait)) return nullptr;
    } catch (const ConnectionLost& lost) {
        throw Unavailable{lost.what()};
    } catch (const SqlError& error) {
        throw Unavailable{error.what()};
    }
    return std::unique_ptr<SessionLock>{new SessionLock{std::move(connection), name}};
}

SessionLock::SessionLock(std::unique_ptr<Connection> connection, std::string name)
    : connection_{std::move(connection)},
      name_{std::move(name)},
      stopping_{eventfd(0, EFD_CLOEXEC)} {
    base::check(stopping_ >= 0);
    watching_ = std::thread{[this] { watch(); }};
}

SessionLock::~SessionLock() {
    const std::uint64_t one = 1;
    base::check(::write(stopping_, &one, sizeof one) == sizeof one);
    watching_.join();
    close(stopping_);
    if (lost_.stop_requested()) return;
    try {
        run(*connection_, 0ms, sql::release_session_lock, name_);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): ends with connection
    }
}

void SessionLock::watch() {
    std::array<pollfd, 2> polled{{{.fd = stopping_, .events = POLLIN, .revents = 0},
                                  {.fd = connection_->socket(), .events = POLLIN, .revents = 0}}};
    for (;;) {
        poll(polled.data(), polled.size(), -1);
        if (polled[0].revents != 0) return;
        if (polled[1].revents == 0 || connection_->is_quiet()) continue;
        lost_.request_stop();
        return;
    }
}

}  // namespace sundial::postgres
