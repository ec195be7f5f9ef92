#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/postgres/clock_parameter.hpp"
#include "adapters/postgres/open.hpp"
#include "adapters/postgres/pool.hpp"
#include "adapters/postgres/server_watch.hpp"
#include "adapters/postgres/sql_error.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial::postgres {

/// A row that exists only if a certain transaction committed. If no answer to COMMIT arrives,
/// looking for this row reveals the outcome.
struct Evidence {
    std::string transaction;  // the transaction's id
    Call row;                 // finds what it wrote
    /// Finds the row that the transaction would have changed, unchanged. Empty if `row` has an id
    /// made for this transaction: then no other transaction changes the row, and its absence proves
    /// that nothing happened. On a distributed database it waits for the row's lock besides: its
    /// machine may end the transaction after the coordinator.
    std::optional<Call> before{};
};

class Database;

/// A transaction. It begins together with the first statement or read of the clock, in the same
/// round trip. So do its parts, and a part ends together with the next statement.
///
/// A transaction of the program is open already. In it, the session begins with a savepoint and
/// with its own limits, and `leave` takes both back.
class Session {
public:
    struct Terms {
        const Statement& begin;
        bool prepare;
        std::chrono::milliseconds silence;
        bool of_program = false;
    };
    Session(Database& database, Connection& connection, std::optional<Evidence>& evidence,
            const Terms& terms)
        : database_{database}, connection_{connection}, evidence_{evidence}, terms_{terms} {}
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    template <class... Values>
    Answer run(const Statement& statement, const Values&... values) {
        const Call call{statement, values...};
        return std::move(run({&call, 1}).front());
    }
    /// Sends all calls in one round trip. On a distributed database, reads of events at `now`; the
    /// transaction then begins in a round trip of its own.
    std::vector<Answer> run(std::span<const Call> calls);
    /// Runs `work` under a savepoint of the open transaction. Keeps its changes if it returns true.
    void part(const std::function<bool(Session&)>& work);
    /// In a transaction of the program: undoes everything since the session began, or keeps it.
    /// The program's settings are as they were. The session may begin again.
    void leave(bool kept);
    /// Saves the settings that queue statements change, for `leave`, if they are the program's. Run
    /// with the statements that change them.
    [[nodiscard]] std::vector<Answer> run_with_settings(std::span<const Call> calls);
    /// Runs one statement of the program (caller_sql.hpp).
    Answer run_text(const std::string& sql, std::span<const SqlValue> values);
    /// One piece of evidence is enough, since a transaction happens completely or not at all.
    /// Evidence without `before` is preferred, because it proves both outcomes.
    void add_evidence(Evidence evidence) {
        if (!evidence_ || (evidence_->before && !evidence.before)) evidence_ = std::move(evidence);
    }
    /// The database's clock when the transaction began, or later (advance_to).
    [[nodiscard]] Instant now();
    [[nodiscard]] bool has_begun() const { return now_.has_value(); }
    /// Time does not go back: what follows in the transaction is not before `at`, at which a
    /// statement of it ran.
    void advance_to(Instant at) { now_ = std::max(now(), at); }
    [[nodiscard]] std::uint32_t shards() const;
    [[nodiscard]] bool distributed() const;
    [[nodiscard]] std::int16_t shard_of(const EventId& id) const {
        return static_cast<std::int16_t>(sundial::shard_of(id, shards()));
    }
    /// The shard of a key is taken from its hash. It is that of the key's first event.
    [[nodiscard]] std::int16_t shard_of(const IdempotencyKey& key) const;

private:
    /// Settings of the program's transaction.
    struct Joined {
        std::optional<Call> limits;    // restore them
        std::optional<Call> settings;  // restore them
    };
    /// The statements with which it begins.
    [[nodiscard]] std::vector<Call> beginning() const;
    void note_beginning(const Answer& configured);
    /// How long the server may be silent during a round trip.
    [[nodiscard]] std::chrono::milliseconds silence_of(std::size_t calls) const;
    /// Sends the calls as they are.
    std::vector<Answer> run_unchanged(std::span<const Call> calls);
    /// Those that were put off, and `calls`, in one round trip.
    std::vector<Answer> send(std::vector<Call> first, std::span<const Call> calls);

    Database& database_;
    Connection& connection_;
    std::optional<Evidence>& evidence_;
    const Terms terms_;
    std::optional<Instant> now_;
    std::vector<Call> put_off_;     // savepoints and their releases, for the next round trip
    std::size_t round_trips_ = 0;   // so far
    std::optional<Joined> joined_;  // since the savepoint of `beginning` was sent
};

/// Begins and ends every transaction: time-outs, retries after conflicts, and what the caller
/// learns when the server fails (reliability 5). A transaction that starts inside the work of a
/// `write`, on its thread, becomes part of that one. Thread-safe.
class Database {
public:
    Database(const Settings& settings, std::uint32_t shards, bool distributed, base::Log& log);

    /// Commits if `work` returns true. Runs `work` again after a conflict, and after a lost
    /// connection if it is certain that nothing happened. Throws Unavailable; OutcomeUnknown if no
    /// answer to COMMIT came and `work` left no evidence, or the evidence could not be read in
    /// time.
    void write(std::string_view purpose, const std::function<bool(Session&)>& work);
    /// Runs `work` under a savepoint of the transaction that the program has open on `callers`, and
    /// keeps its changes if it returns true. If `work` runs no statement, the server is not asked.
    /// A transaction that starts inside `work` becomes part
    /// of it. Settings of that transaction stay as they were. Throws Unavailable if the connection
    /// broke; StatementRefused for anything else that the server refused, a conflict too: the
    /// program must repeat its transaction then.
    void join(pg_conn* callers, const std::function<bool(Session&)>& work);
    /// Reads one snapshot of committed data.
    void read(std::string_view purpose, const std::function<void(Session&)>& work);
    /// Whether this thread is inside the work of a `write`.
    [[nodiscard]] bool open_here() const;

    struct Answered {
        Instant now;  // the database's clock when the transaction began
        std::vector<Answer> answers;
    };
    /// The effect of calls, which decides what to do if no answer to COMMIT comes.
    enum class Effect : std::uint8_t {
        none,        // they only read: run them again
        once,        // a repetition would do more: throw OutcomeUnknown
        repeatable,  // they recognise their earlier effect: run them again for a while
    };
    /// Runs `calls` in a transaction of their own and one round trip, with plans that use indexes
    /// only. On a distributed database, reads of events need another round trip before, for the
    /// coordinator's clock.
    Answered run(std::string_view purpose, Effect effect, std::span<const Call> calls);

    /// Of each part its answers; none if a machine that has its rows failed, or took too long. Then
    /// its effect is unknown.
    struct InParts {
        std::vector<std::optional<Answered>> answered;
        std::string why;  // of the last part that failed
        [[nodiscard]] std::size_t failed() const {
            return static_cast<std::size_t>(
                std::ranges::count_if(answered, [](const auto& each) { return !each; }));
        }
    };
    /// As `run`, for calls that are not `once`. On a distributed database each part is a
    /// transaction of its own: each commits in one phase if it changes one shard, and a machine
    /// that fails stops its parts only. They are sent together, over several connections if the
    /// pool has some to spare. Reads of events get the coordinator's clock as it was before all
    /// parts.
    InParts run_in_parts(std::string_view purpose, Effect effect,
                         std::span<const std::vector<Call>> parts);

    [[nodiscard]] std::uint32_t shards() const { return shards_; }
    /// Whether events are distributed over machines (ADR 0070). Then a statement that Citus could
    /// not run on all shards at once is sent once for each shard.
    [[nodiscard]] bool distributed() const { return distributed_; }
    /// The database's clock, extrapolated from its last reading. For hints only; decides nothing.
    [[nodiscard]] Instant approximate_now() const;
    /// Start time of the server whose clock may declare a lease of that length in that shard
    /// expired (claim_ready).
    [[nodiscard]] std::optional<std::int64_t> trusted_server(std::chrono::microseconds lease,
                                                             std::uint32_t shard) const {
        if (distributed_ && !servers_.trusts_holder(shard, lease)) return std::nullopt;
        return servers_.trusted(lease);
    }
    /// A server of a distributed database, as a read of one of its shards saw it.
    struct ShardHolder {
        std::uint32_t shard;
        std::int64_t started;
    };
    /// Records which servers have these shards. Reads the identity of new ones; if that fails,
    /// tries again later.
    void note_holders(std::span<const ShardHolder> seen);
    /// Asks the server that has the shard, in the transaction, whether it is one whose leases of
    /// that length may count as expired.
    [[nodiscard]] bool trusts_holder(Session& session, std::int16_t shard,
                                     std::chrono::microseconds lease);
    /// Why nothing may be claimed in the shard (ServerWatch). Usually empty.
    [[nodiscard]] std::optional<std::string> refusal_of(std::uint32_t shard) const {
        return distributed_ ? servers_.refusal_of(shard) : std::nullopt;
    }
    /// How long writes have been failing; empty if they succeed.
    [[nodiscard]] std::optional<std::chrono::milliseconds> failing_for() const {
        return outage_.so_far();
    }
    /// The server that answered last.
    [[nodiscard]] Server server() const { return servers_.latest(); }
    [[nodiscard]] PoolUse pool_use() const { return pool_.use(); }
    [[nodiscard]] std::vector<ServerAddress> servers() const { return pool_.servers(); }

private:
    friend Session;
    struct TransactionAttempt {
        Connection& connection;
        bool prepare;
        bool committing = false;  // COMMIT may have been sent
        std::optional<Evidence> evidence{};
    };
    /// A transaction whose COMMIT got no answer.
    struct Unanswered {
        std::string why;
        std::optional<Evidence> evidence;
    };
    /// The answer of the evidence about such a transaction.
    enum class Finding : std::uint8_t { happened, did_not, not_yet, never };
    void with_retries(std::string_view purpose,
                      const std::function<void(TransactionAttempt&)>& attempt);
    void repeat_attempts(std::string_view purpose,
                         const std::function<void(TransactionAttempt&)>& attempt);
    /// Parts that have no answers yet.
    struct Missing {
        std::vector<std::size_t> numbers{};  // in the call
        std::vector<std::vector<Call>> transactions{};
        std::ptrdiff_t before = 0;       // statements of each before its calls
        std::optional<Instant> clock{};  // for reads
    };
    [[nodiscard]] Missing missing_of(TransactionAttempt& attempt,
                                     std::span<const std::vector<Call>> parts, const InParts& all);
    /// Runs these parts.
    void run_missing(TransactionAttempt& attempt, std::span<const std::vector<Call>> parts,
                     InParts& all);
    /// More sessions for that many parts, without waiting for any.
    [[nodiscard]] std::vector<std::unique_ptr<Pool::Loan>> extra_sessions(const Connection& own,
                                                                          std::size_t parts,
                                                                          const InParts& all);
    /// Ends the sessions that may have connections to a machine that has failed.
    void forget_machines_of(Connection& connection);
    /// Logs that parts begin to fail, and that they no longer do.
    void report_parts(std::size_t failed, std::size_t all, const std::string& why);
    Answered run_once(std::string_view purpose, Effect effect, std::span<const Call> calls);
    [[nodiscard]] Answered run_as_part(Session& whole, std::span<const Call> calls);
    [[nodiscard]] bool may_retry(const SqlError& error, int tries);
    [[nodiscard]] Call configuration(const Statement& statement) const;
    /// Appends the settings of a queue's transaction.
    void append_queue_configuration(std::vector<Call>& calls) const;
    /// Whether one of the calls reads events by the clock, on a distributed database.
    [[nodiscard]] bool needs_clock(std::span<const Call> calls) {
        return distributed_ && clock_parameter_.is_needed(calls);
    }
    /// Records which server answered the configuration. Returns the server's time.
    Instant note_server(const Answer& configured);
    [[nodiscard]] Session session_of(TransactionAttempt& attempt, const Statement& begin);
    void report_conflict(std::string_view purpose, const SqlError& error);
    /// Closes all connections if the error says that they lead to the wrong server.
    void leave_if_wrong(Connection& connection, const SqlError& error);
    void report_unanswered(std::string_view purpose, const Unanswered& unanswered);
    /// Whether the transaction committed. Throws OutcomeUnknown.
    [[nodiscard]] bool has_happened(const Unanswered& unanswered);
    [[nodiscard]] Finding check_evidence(const Evidence& evidence);
    /// `join_callers` with our limits.
    [[nodiscard]] Call joining() const;
    /// Throws StatementRefused if the answer to `join_callers` is of another database.
    void refuse_other_database(const Answer& joined);
    void learn_own_name();

    const Settings settings_;
    base::Log& log_;
    Pool pool_;
    ServerWatch servers_;
    ClockParameter clock_parameter_;
    Outage outage_;
    struct Reading {
        Instant now;
        std::chrono::steady_clock::time_point at;
    };
    mutable std::mutex reading_mutex_;
    Reading reading_{};
    const std::uint32_t shards_;
    const bool distributed_;
    std::atomic<bool> prepare_;
    std::atomic<bool> parts_fail_ = false;
    std::mutex own_name_mutex_;
    struct Name {
        std::string database;
        std::int64_t system;  // of its cluster; 0 if we may not read it
    };
    std::optional<Name> own_name_;  // once it was asked for
};

}  // namespace sundial::postgres
