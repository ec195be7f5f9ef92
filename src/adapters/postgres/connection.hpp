#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "adapters/postgres/answer.hpp"
#include "adapters/postgres/open.hpp"
#include "adapters/postgres/sql_error.hpp"
#include "adapters/postgres/statement.hpp"
#include "base/log.hpp"

struct pg_conn;  // libpq's PGconn

namespace sundial::postgres {

/// One connection to PostgreSQL. Not thread-safe. Everything is sent in pipeline mode and every
/// wait has an end; after ConnectionLost it is of no more use.
class Connection {
public:
    /// Throws CannotStart if `url` cannot be understood, Unavailable if nobody answers there, lets
    /// us in and takes what we write.
    /// `first_host`: of several in the URL the one to try first.
    Connection(const std::string& url, base::Log& log, std::size_t first_host = 0);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    /// Sends `calls` in one go and waits for all answers. Throws SqlError for the first that was
    /// refused (those after it were not tried), ConnectionLost if any answer is missing.
    /// `prepare`: by name, once for each statement, if no pooler stands between; otherwise they are
    /// sent in full. `silence`: how
    /// long the server may say nothing at all; it bounds the statements themselves by its
    /// time-outs.
    std::vector<Answer> run(std::span<const Call> calls, bool prepare,
                            std::chrono::milliseconds silence);
    /// Ends a transaction that is open, if one is, as if it had not been. Never throws: where this
    /// fails, the server does it when the connection goes.
    void roll_back(std::chrono::milliseconds silence) noexcept;
    /// The same for one that was only read in, without waiting for the answer.
    void leave() noexcept;
    /// Runs a text of several statements without parameters.
    void run_script(const std::string& sql, std::chrono::milliseconds silence);

    /// Whether it still looks usable: nothing has come that nobody asked for, as when the server
    /// closed it while it lay idle.
    [[nodiscard]] bool is_quiet();
    [[nodiscard]] bool is_broken() const { return broken_; }
    /// Not to be used again: it leads to the wrong server.
    void give_up() { broken_ = true; }
    /// The server's own session, which lasts as long as the connection: what is prepared in it
    /// stays. Behind a pooler it may be anybody's.
    [[nodiscard]] bool is_direct() const { return direct_; }
    /// Nothing of a connection by a Unix socket.
    [[nodiscard]] std::optional<ServerAddress> server() const;
    /// 150020 is 15.20.
    [[nodiscard]] int server_version() const;
    /// The server's process for this connection: a number that differs from those of others.
    [[nodiscard]] int backend_process() const;

    /// What is told to whoever listens, by others than this connection, since the last call.
    /// Throws ConnectionLost.
    [[nodiscard]] bool was_notified();
    /// Becomes readable when something comes.
    [[nodiscard]] int socket() const;

private:
    struct Close {
        void operator()(pg_conn* connection) const;
    };
    void meet();
    void send(const Call& call, bool prepare);
    void send_prepare(const Call& call);
    pg_result* next_result(std::chrono::milliseconds silence);
    /// What was sent since the last end is one go.
    void end_pipeline();
    void await_end(std::chrono::milliseconds silence);
    void await_leave(std::chrono::milliseconds silence);
    void note_refusal(const pg_result* result, std::optional<SqlError>& first);
    [[noreturn]] void lose(const std::string& why);

    base::Log& log_;
    std::unique_ptr<pg_conn, Close> connection_;
    std::set<const Statement*> prepared_;
    bool direct_ = false;
    bool broken_ = false;
    bool leaving_ = false;  // the answer to a rollback is to come first
};

/// Leaves no transaction open on a connection, however its user leaves. The one place where
/// transactions are rolled back.
class RollBack {
public:
    RollBack(Connection& connection, std::chrono::milliseconds silence)
        : connection_{connection}, silence_{silence} {}
    RollBack(const RollBack&) = delete;
    RollBack& operator=(const RollBack&) = delete;
    ~RollBack() { connection_.roll_back(silence_); }

private:
    Connection& connection_;
    const std::chrono::milliseconds silence_;
};

/// Throws CannotStart if `url` is not a connection string of libpq. The text says nothing that may
/// be part of a password.
void check_url(const std::string& url);

}  // namespace sundial::postgres
