#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/postgres/answer.hpp"
#include "adapters/postgres/open.hpp"
#include "adapters/postgres/sql_error.hpp"
#include "adapters/postgres/statement.hpp"
#include "base/log.hpp"
#include "sundial/sql.hpp"

struct pg_conn;  // libpq's PGconn

namespace sundial::postgres {

/// One connection to PostgreSQL. Not thread-safe. Sends everything in pipeline mode, and every wait
/// has a time limit. Unusable after ConnectionLost.
class Connection {
public:
    enum class Access : std::uint8_t {
        read_write,
        read_only  // also to a standby, and as a role that must not write
    };
    /// Throws CannotStart if `url` is malformed, Unavailable if the server does not respond,
    /// rejects the login or does not accept writes that `access` needs.
    /// `first_host`: index of the host to try first, if the URL has several.
    Connection(const std::string& url, base::Log& log, std::size_t first_host = 0,
               Access access = Access::read_write);
    /// Uses `callers`, a connection of the program with an open transaction, which outlives this.
    /// Leaves its modes as they were. Throws StatementRefused if it is not in a state to be used.
    Connection(pg_conn* callers, base::Log& log);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    /// Sends `calls` in one pipeline and waits for all answers. Throws SqlError for the first
    /// statement that the server refused (it does not execute the ones after it), ConnectionLost if
    /// any answer is missing.
    /// `prepare`: prepare each statement once, by name; only for direct connections. Otherwise the
    /// full text is sent.
    /// `silence`: maximum time without a byte from the server. The server's own time-outs bound the
    /// statements.
    std::vector<Answer> run(std::span<const Call> calls, bool prepare,
                            std::chrono::milliseconds silence);
    /// The answers to one part. If a statement was refused, the part had no effect, unless the
    /// server refused the COMMIT.
    struct PartAnswers {
        std::vector<Answer> answers{};
        std::optional<SqlError> refused{};
    };
    /// Parts whose answers are still to be read.
    struct SentParts {
        std::span<const std::vector<Call>> parts{};
        bool prepare = false;
        std::vector<const Statement*> preparing{};  // sent before the parts
    };
    /// Sends the calls of each part in a pipeline of its own, followed by COMMIT, which rolls back
    /// a refused part: a refusal in one part does not stop the others. Does not wait, so that one
    /// thread can send parts through several connections. Throws ConnectionLost.
    [[nodiscard]] SentParts send_parts(std::span<const std::vector<Call>> parts, bool prepare);
    /// The answers to all parts that were sent, which live until then. Throws as `run` does if an
    /// answer is missing. Through a pooler, which may give the session away at the end of each
    /// part, it is this that sends the parts, one after another.
    [[nodiscard]] std::vector<PartAnswers> await_parts(const SentParts& sent,
                                                       std::chrono::milliseconds silence);
    /// Runs one statement of the program. Parameters and results are texts; the server infers the
    /// types. Throws as `run` does.
    [[nodiscard]] Answer run_text(const std::string& sql, std::span<const SqlValue> values,
                                  std::chrono::milliseconds silence);
    /// Rolls back the open transaction, if any. Never throws: if this fails, the server rolls back
    /// when the connection closes.
    void roll_back(std::chrono::milliseconds silence) noexcept;
    /// Rolls back a read-only transaction without waiting for the answer. Does nothing through a
    /// pooler, which may give the session to another client before it has forwarded all of a
    /// following transaction (pgbouncer 1.18).
    void leave() noexcept;
    /// Runs a script of several statements without parameters.
    void run_script(const std::string& sql, std::chrono::milliseconds silence);

    /// Whether the connection still seems usable: no unrequested message has arrived, such as the
    /// server closing an idle connection.
    [[nodiscard]] bool is_quiet();
    [[nodiscard]] bool is_broken() const { return broken_; }
    /// Marks the connection as unusable because it leads to the wrong server.
    void give_up() { broken_ = true; }
    /// Whether this is a server session of our own, which keeps prepared statements as long as the
    /// connection lasts. A pooler may share the session with other clients, so nothing is sent
    /// through it before the transaction in front has ended.
    [[nodiscard]] bool is_direct() const { return direct_; }
    /// Empty for a Unix socket.
    [[nodiscard]] std::optional<ServerAddress> server() const;
    /// 150020 is 15.20.
    [[nodiscard]] int server_version() const;
    /// Process id of the server's backend for this connection. Different for each open connection.
    [[nodiscard]] int backend_process() const;

    /// Whether another connection has notified this one since the last call. Throws ConnectionLost.
    [[nodiscard]] bool was_notified();
    /// Becomes readable when data arrives.
    [[nodiscard]] int socket() const;

private:
    /// Closes a connection of our own, and returns a caller's.
    struct Close {
        bool callers;
        bool was_nonblocking;
        void operator()(pg_conn* connection) const;
    };
    void meet(Access access);
    void send(const Call& call, bool prepare);
    void send_part(std::span<const Call> part, bool prepare);
    [[nodiscard]] PartAnswers await_part(std::span<const Call> part,
                                         std::chrono::milliseconds silence);
    /// The answer to one statement that was sent.
    [[nodiscard]] Answer next_answer(std::chrono::milliseconds silence,
                                     std::optional<SqlError>& refused);
    void send_prepare(const Call& call);
    pg_result* next_result(std::chrono::milliseconds silence);
    /// Marks the end of one pipeline.
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
    bool leaving_ = false;  // the answer to a rollback arrives first
};

/// Rolls back any open transaction at the end of its scope, even after an exception. The only place
/// that rolls back transactions.
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

}  // namespace sundial::postgres
