#include "adapters/postgres/refusal.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <sstream>
#include <string_view>

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_attempt = 3s;

constexpr std::string_view no_such_database = "3D000";
constexpr std::string_view wrong_password = "28P01";
constexpr std::string_view not_let_in = "28000";  // no such role, or pg_hba.conf
constexpr std::string_view no_right = "42501";    // CONNECT on the database

std::string advice(std::string_view state) {
    if (state == no_such_database) {
        return "there is no such database: create it (CREATE DATABASE … ENCODING 'UTF8'), or "
               "correct its name in storage.url";
    }
    if (state == no_right) {
        return "the role may not connect to the database: GRANT CONNECT to it, or name another "
               "role in storage.url";
    }
    return "it rejects this role: correct role and password in storage.url, or allow the role in "
           "pg_hba.conf";
}

struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
};
using Attempt = std::unique_ptr<PGconn, Finish>;

/// An attempt that ended, null if it was given up. Each line of its message ends with a SQLSTATE:
/// words would depend on the server's language. libpq has no other way to the SQLSTATE of a failed
/// connection, and accepts the setting only between PQconnectStart and PQconnectPoll.
Attempt attempted(const std::string& url) {
    const char* const names[] = {"dbname", nullptr};
    const char* const values[] = {url.c_str(), nullptr};
    Attempt attempt{PQconnectStartParams(names, values, 1)};
    if (!attempt || PQstatus(attempt.get()) == CONNECTION_BAD) return attempt;
    PQsetErrorVerbosity(attempt.get(), PQERRORS_SQLSTATE);
    const auto end = std::chrono::steady_clock::now() + longest_attempt;
    for (auto wanted = PGRES_POLLING_WRITING;
         wanted == PGRES_POLLING_WRITING || wanted == PGRES_POLLING_READING;
         wanted = PQconnectPoll(attempt.get())) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        pollfd socket{
            .fd = PQsocket(attempt.get()),
            .events = static_cast<short>(wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT),
            .revents = 0};
        if (left <= 0ms || poll(&socket, 1, static_cast<int>(left.count())) == 0) return nullptr;
    }
    return attempt;
}

}  // namespace

std::optional<std::string> lasting_refusal(const std::string& url) {
    const Attempt attempt = attempted(url);
    if (!attempt || PQstatus(attempt.get()) != CONNECTION_BAD) return std::nullopt;
    if (PQconnectionNeedsPassword(attempt.get()) == 1)
        return advice(wrong_password);  // none is given
    std::optional<std::string> advised;
    std::istringstream lines{PQerrorMessage(attempt.get())};
    for (std::string line; std::getline(lines, line);) {
        if (line.empty()) continue;
        const std::string_view state =
            std::string_view{line}.substr(line.size() - std::min<std::size_t>(line.size(), 5));
        constexpr std::array lasting{no_such_database, wrong_password, not_let_in, no_right};
        if (std::ranges::find(lasting, state) == lasting.end()) return std::nullopt;
        advised = advice(state);
    }
    return advised;
}

}  // namespace sundial::postgres
