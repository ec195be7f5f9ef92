#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/postgres/open.hpp"
#include "adapters/postgres/pool.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial::postgres {

/// What a transaction leaves behind if it commits, and nothing else can: where no answer to COMMIT
/// comes, whether it is there tells the outcome.
struct Evidence {
    std::string transaction;  // its number, while it ran
    Call row;                 // finds what it inserted under an id made for it
};

/// An open transaction.
class Session {
public:
    struct Start {
        Instant now;
        std::uint32_t shards;
        bool prepare;
        std::chrono::milliseconds silence;
    };
    Session(Connection& connection, std::optional<Evidence>& evidence, const Start& start)
        : connection_{connection}, evidence_{evidence}, start_{start} {}

    template <class... Values>
    Answer run(const Statement& statement, const Values&... values) {
        const Call call{statement, values...};
        return std::move(connection_.run({&call, 1}, start_.prepare, start_.silence).front());
    }
    /// One piece is enough: the transaction is there whole or not at all.
    void leaves(Evidence evidence) {
        if (!evidence_) evidence_ = std::move(evidence);
    }
    /// The database's clock when the transaction began.
    [[nodiscard]] Instant now() const { return start_.now; }
    [[nodiscard]] std::uint32_t shards() const { return start_.shards; }
    [[nodiscard]] std::int16_t shard_of(const EventId& id) const {
        return static_cast<std::int16_t>(sundial::shard_of(id, start_.shards));
    }

private:
    Connection& connection_;
    std::optional<Evidence>& evidence_;
    const Start start_;
};

/// Where every transaction begins and ends: time-outs, retries after conflicts, and what the caller
/// is told when the server fails (reliability 5). Thread-safe.
class Database {
public:
    Database(const Settings& settings, std::uint32_t shards, base::Log& log);

    /// Commits if `work` returns true. `work` runs again after a conflict, and after the connection
    /// was lost if it is sure that nothing has happened. Throws Unavailable; OutcomeUnknown if no
    /// answer to the COMMIT came and `work` left no evidence, or nobody could look for it in time.
    void write(std::string_view operation, const std::function<bool(Session&)>& work);
    /// One moment of what is committed.
    void read(std::string_view operation, const std::function<void(Session&)>& work);

    struct Answered {
        Instant now;  // the database's clock when the transaction began
        std::vector<Answer> answers;
    };
    /// `calls` in a transaction of their own and one round trip, on plans that use indexes only.
    Answered run(std::string_view operation, std::span<const Call> calls);

    [[nodiscard]] std::uint32_t shards() const { return shards_; }
    [[nodiscard]] PoolUse pool_use() const { return pool_.use(); }

private:
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
    void with_retries(std::string_view operation, const std::function<void(Try&)>& attempt);
    [[nodiscard]] bool may_retry(const SqlError& error, int tries);
    [[nodiscard]] Call configuration() const;
    [[nodiscard]] Call configuration_for_queue() const;
    [[nodiscard]] Session begin(Try& attempt, const Statement& begin);
    void tell_conflict(std::string_view operation, const SqlError& error);
    void tell_unanswered(std::string_view operation, const Unanswered& unanswered);
    /// Whether it has happened. Throws OutcomeUnknown.
    [[nodiscard]] bool has_happened(std::string_view operation, const Unanswered& unanswered);
    /// Empty while nobody can tell.
    [[nodiscard]] std::optional<bool> look_for(const Evidence& evidence);

    const Settings settings_;
    base::Log& log_;
    Pool pool_;
    const std::uint32_t shards_;
    std::atomic<bool> prepare_;
};

}  // namespace sundial::postgres
