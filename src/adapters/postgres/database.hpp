#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/postgres/open.hpp"
#include "adapters/postgres/outage.hpp"
#include "adapters/postgres/pool.hpp"
#include "adapters/postgres/server_watch.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial::postgres {

/// What a transaction leaves behind if it commits, and nothing else can: where no answer to COMMIT
/// comes, whether it is there tells the outcome.
struct Evidence {
    std::string transaction;  // its number, while it ran
    Call row;                 // finds what it wrote
    /// Finds what it would have changed, unchanged. Empty: `row` lies under an id made for it, so
    /// that nobody changes it further, and without it nothing has happened.
    std::optional<Call> before{};
};

class Database;

/// A transaction, which begins with the first statement or look at the clock, in the same round
/// trip.
class Session {
public:
    struct Terms {
        const Statement& begin;
        bool prepare;
        std::chrono::milliseconds silence;
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
    /// All in one round trip.
    std::vector<Answer> run(std::span<const Call> calls);
    /// Keeps what `work` does, within the open transaction, if it returns true.
    void part(const std::function<bool(Session&)>& work);
    /// One piece is enough: the transaction is there whole or not at all. Best is one that tells
    /// both ways.
    void leaves(Evidence evidence) {
        if (!evidence_ || (evidence_->before && !evidence.before)) evidence_ = std::move(evidence);
    }
    /// The database's clock when the transaction began.
    [[nodiscard]] Instant now();
    [[nodiscard]] bool has_begun() const { return now_.has_value(); }
    [[nodiscard]] std::uint32_t shards() const;
    [[nodiscard]] std::int16_t shard_of(const EventId& id) const {
        return static_cast<std::int16_t>(sundial::shard_of(id, shards()));
    }

private:
    Database& database_;
    Connection& connection_;
    std::optional<Evidence>& evidence_;
    const Terms terms_;
    std::optional<Instant> now_;
};

/// Where every transaction begins and ends: time-outs, retries after conflicts, and what the caller
/// is told when the server fails (reliability 5). What is begun inside the work of a `write`, on
/// its thread, is a part of that. Thread-safe.
class Database {
public:
    Database(const Settings& settings, std::uint32_t shards, base::Log& log);

    /// Commits if `work` returns true. `work` runs again after a conflict, and after the connection
    /// was lost if it is sure that nothing has happened. Throws Unavailable; OutcomeUnknown if no
    /// answer to the COMMIT came and `work` left no evidence, or nobody could look for it in time.
    void write(std::string_view operation, const std::function<bool(Session&)>& work);
    /// One moment of what is committed.
    void read(std::string_view operation, const std::function<void(Session&)>& work);
    /// Whether this thread is inside the work of a `write`.
    [[nodiscard]] bool open_here() const;

    struct Answered {
        Instant now;  // the database's clock when the transaction began
        std::vector<Answer> answers;
    };
    /// What calls do, and so what becomes of them when no answer comes to their COMMIT.
    enum class Effect : std::uint8_t {
        none,        // they look: they are done again
        once,        // done again they would do more: OutcomeUnknown
        repeatable,  // they see what they have done before: they are done again for a while
    };
    /// `calls` in a transaction of their own and one round trip, on plans that use indexes only.
    Answered run(std::string_view operation, Effect effect, std::span<const Call> calls);

    [[nodiscard]] std::uint32_t shards() const { return shards_; }
    /// The database's clock, going by when it was read last. For hints; it decides nothing.
    [[nodiscard]] Instant about_now() const;
    /// Whose clock says that a lease of that length is over (claim_ready).
    [[nodiscard]] std::optional<std::int64_t> trusted_server(
        std::chrono::microseconds lease) const {
        return servers_.trusted(lease);
    }
    /// For how long nothing could be written; empty while it can.
    [[nodiscard]] std::optional<std::chrono::milliseconds> failing_for() const {
        return outage_.so_far();
    }
    /// The one that answers.
    [[nodiscard]] Server server() const { return servers_.latest(); }
    [[nodiscard]] PoolUse pool_use() const { return pool_.use(); }
    [[nodiscard]] std::vector<ServerAddress> servers() const { return pool_.servers(); }

private:
    friend Session;
    struct Try {
        Connection& connection;
        bool prepare;
        bool committing = false;  // COMMIT may have been sent
        std::optional<Evidence> evidence{};
    };
    /// A transaction to whose COMMIT no answer came.
    struct Unanswered {
        std::string why;
        std::optional<Evidence> evidence;
    };
    /// What can be known of one.
    enum class Finding : std::uint8_t { happened, did_not, not_yet, never };
    void with_retries(std::string_view operation, const std::function<void(Try&)>& attempt);
    void try_again_and_again(std::string_view operation, const std::function<void(Try&)>& attempt);
    Answered run_once(std::string_view operation, Effect effect, std::span<const Call> calls);
    [[nodiscard]] Answered run_as_part(Session& whole, std::span<const Call> calls);
    [[nodiscard]] bool may_retry(const SqlError& error, int tries);
    [[nodiscard]] Call configuration(const Statement& statement) const;
    /// Which server answered a configuration, and what time it is there, which is returned.
    Instant note_server(const Answer& configured);
    [[nodiscard]] Session session_of(Try& attempt, const Statement& begin);
    void tell_conflict(std::string_view operation, const SqlError& error);
    /// Makes all connections anew if the error says that they lead to the wrong server.
    void leave_if_wrong(Connection& connection, const SqlError& error);
    void tell_unanswered(std::string_view operation, const Unanswered& unanswered);
    /// Whether it has happened. Throws OutcomeUnknown.
    [[nodiscard]] bool has_happened(const Unanswered& unanswered);
    [[nodiscard]] Finding look_for(const Evidence& evidence);

    const Settings settings_;
    base::Log& log_;
    Pool pool_;
    ServerWatch servers_;
    Outage outage_;
    struct Reading {
        Instant now;
        std::chrono::steady_clock::time_point at;
    };
    mutable std::mutex reading_mutex_;
    Reading reading_{};
    const std::uint32_t shards_;
    std::atomic<bool> prepare_;
};

}  // namespace sundial::postgres
