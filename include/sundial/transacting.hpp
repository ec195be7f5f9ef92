#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sundial/embedding.hpp"
#include "sundial/recording.hpp"
#include "sundial/result.hpp"
#include "sundial/sql.hpp"

#pragma GCC visibility push(default)

/// Transactions of `sundial/engine.hpp`, which brings these types into namespace `sundial`: include
/// that header.
namespace sundial::embedding {

/// The result of `Transaction::once`.
struct Once {
    /// The answer of `work`, from this call or an earlier one.
    std::string answer;
    bool replayed = false;  // an earlier call stored it; `work` did not run
};

/// One transaction on the engine's database: of `Engine::transact`, or the caller's own
/// (`Engine::in`). All its changes are committed together, or none of them. Valid during the call
/// that received it, on that thread. Its functions never throw.
///
/// A refused call, such as an append with OPTIMISTIC_LOCK, changes nothing, and the transaction can
/// go on. After SQL_FAILED or a failure of the storage a transaction of `transact` cannot: every
/// further call returns that error, and nothing is committed; `nested` limits that to a part. In a
/// transaction of the caller's, every failed call is undone alone.
class Transaction {
public:
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    /// The storage's clock, the same throughout a transaction of `transact`.
    Result<Instant> now();

    /// Runs one statement of your own. Its parameters are `$1`, `$2` and so on, on PostgreSQL and
    /// on SQLite. On SQLite your tables are in the engine's file: give their names a prefix of your
    /// own, because those of Sundial's tables are taken, and later versions add some. A statement
    /// can read Sundial's tables, but on SQLite not change them. It cannot end the transaction, or
    /// change the connection. Waits at most 5 s on PostgreSQL. Errors: SQL_FAILED, whose data are
    /// an SqlFailure; also in memory, where there is no SQL. The same error refuses, before the
    /// database sees the statement: a NUL byte in it or in a text (pass bytes); more than 65,535
    /// parameters on PostgreSQL, or 32,766 on SQLite unless it is built with another limit; COPY
    /// FROM STDIN or TO STDOUT; several statements in one text.
    template <std::convertible_to<SqlValue>... Values>
    Result<SqlRows> sql(const std::string& statement, const Values&... values) {
        const std::initializer_list<SqlValue> all{SqlValue(values)...};
        return run_sql(statement, {all.begin(), all.size()});
    }
    /// The same with the parameters in a list.
    Result<SqlRows> run_sql(const std::string& statement, std::span<const SqlValue> values);

    /// As the functions of Engine with these names.
    Result<Event> schedule(const NewEvent& requested);
    /// As Engine::find_event.
    Result<Event> find_event(const std::string& id);
    /// As Engine::cancel.
    Result<Event> cancel(const std::string& id);
    /// As Engine::create_user.
    Result<User> create_user(const NewUser& requested);
    /// As Engine::delete_user.
    Result<Done> delete_user(const std::string& id);

    /// Completes a claimed event, so that it is COMPLETED if and only if the transaction is
    /// committed: its effects in this database happen once, also if the process dies. `claimed` is
    /// the event as a handler of this engine received it, or as a worker claimed it. The handler
    /// returns `Handled::done()` after the commit. Make it the last call of the transaction,
    /// because the engine cannot extend the event's lease meanwhile. Errors: EVENT_NOT_FOUND,
    /// INVALID_STATE_TRANSITION; LEASE_LOST if another claim came first: roll back.
    Result<Event> complete(const Event& claimed);

    /// As the functions of Streams with these names.
    Result<Appended> append(const StreamId& stream, Expected expected,
                            const std::vector<NewRecordedEvent>& events);
    /// As Streams::read.
    Result<StreamPart> read(const StreamId& stream, const StreamRange& range = {});
    /// As Streams::snapshot.
    Result<std::optional<Snapshot>> snapshot(const StreamId& stream);

    /// For data in this database that a lock protects: the lock is not granted to another holder
    /// until the transaction ends, and a holder that has lost it cannot write any more. Call it
    /// before the writes. Errors: LEASE_LOST: roll back.
    Result<Done> guard(const Lock& lock);

    /// Runs the work of a request once: this transaction stores the answer under `key` for 24
    /// hours, and a repeated call returns it without running `work`. If `work` returns an error,
    /// nothing is stored. Two requests with one key never run at once, in any process.
    /// `fingerprint`: everything that identifies the request. Errors: those of `work`;
    /// IDEMPOTENCY_KEY_REUSED if the key belongs to another fingerprint; IDEMPOTENCY_IN_PROGRESS if
    /// another transaction works on it; VALIDATION_FAILED.
    Result<Once> once(const std::string& key, const std::string& fingerprint,
                      const std::function<Result<std::string>(Transaction&)>& work);

    /// Runs `work` as a part of this transaction, which is undone alone if it returns an error.
    Result<Done> nested(const std::function<Result<Done>(Transaction&)>& work);

    /// The first error of a call; empty if all succeeded.
    [[nodiscard]] std::optional<Error> first_error() const;

    struct Parts;  // of the engine

protected:
    explicit Transaction(Parts& parts) : parts_(&parts) {}
    ~Transaction() = default;
    /// Of the engine.
    Parts* parts_;

private:
    friend class Streams;
    Result<Appended> append_only(const StreamId& stream, Expected expected,
                                 const std::vector<NewRecordedEvent>& events);
};

/// A transaction that the caller has begun on a connection of its own, and commits or rolls back:
///
///     PQclear(PQexec(connection, "BEGIN"));
///     PQclear(PQexec(connection, "INSERT INTO orders …"));
///     auto tx = engine->in(connection);
///     const auto reminder = tx.schedule({.type = "REMINDER", .at = tomorrow});
///     PQclear(PQexec(connection, reminder ? "COMMIT" : "ROLLBACK"));
///     tx.committed();
///
/// Each call is a part of the transaction that is open then, so the same object can be used for the
/// next one, too. After a failed call the transaction is as before the call. SQL_FAILED with
/// SQLSTATE 40001 or 40P01 means that the transaction must be rolled back and repeated. A commit
/// wakes the engine for events that are due at once only after `committed`; without it they are
/// found within a second.
///
/// Movable, not copyable. Not thread-safe, like its connection. The connection must not be in
/// pipeline mode. The engine and the connection must outlive it.
class CallerTransaction : public Transaction {
public:
    /// The source may only be destroyed or assigned to.
    CallerTransaction(CallerTransaction&& other) noexcept;
    /// Gives up the transaction that this object had.
    CallerTransaction& operator=(CallerTransaction&& other) noexcept;
    /// Calls `committed`, which is harmless if the transaction was rolled back.
    ~CallerTransaction();

    /// Tells the engine that the transaction was committed.
    void committed();

private:
    friend class Engine;
    explicit CallerTransaction(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> own_parts_;
};

template <class Work>
auto Engine::transact(Work&& work) {
    using Returned = std::invoke_result_t<Work&, Transaction&>;
    if constexpr (std::is_void_v<Returned>) {
        return run_transaction([&](Transaction& tx) -> Result<Done> {
            work(tx);
            if (auto error = tx.first_error()) return *std::move(error);
            return Done{};
        });
    } else if constexpr (std::is_same_v<Returned, Result<Done>>) {
        // By reference, because `work` need not be copyable.
        return run_transaction([&](Transaction& tx) -> Result<Done> { return work(tx); });
    } else {
        std::optional<Returned> answer;
        const auto done = run_transaction([&](Transaction& tx) -> Result<Done> {
            answer.emplace(work(tx));
            if (!*answer) return answer->error();
            return Done{};
        });
        return done ? *std::move(answer) : Returned{done.error()};
    }
}

}  // namespace sundial::embedding

#pragma GCC visibility pop
