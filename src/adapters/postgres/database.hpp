#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "adapters/postgres/open.hpp"
#include "adapters/postgres/pool.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial::postgres {

/// An open transaction.
class Session {
public:
    struct Start {
        Instant now;
        std::uint32_t shards;
        bool prepare;
        std::chrono::milliseconds silence;
    };
    Session(Connection& connection, const Start& start) : connection_{connection}, start_{start} {}

    template <class... Values>
    Answer run(const Statement& statement, const Values&... values) {
        const Call call{statement, values...};
        return std::move(connection_.run({&call, 1}, start_.prepare, start_.silence).front());
    }
    /// The database's clock when the transaction began.
    [[nodiscard]] Instant now() const { return start_.now; }
    [[nodiscard]] std::uint32_t shards() const { return start_.shards; }
    [[nodiscard]] std::int16_t shard_of(const EventId& id) const {
        return static_cast<std::int16_t>(sundial::shard_of(id, start_.shards));
    }

private:
    Connection& connection_;
    const Start start_;
};

/// Where every transaction begins and ends: time-outs, retries after conflicts, and what the caller
/// is told when the server fails (reliability 5). Thread-safe.
class Database {
public:
    Database(const Settings& settings, std::uint32_t shards, base::Log& log);

    /// Commits if `work` returns true. `work` runs again after a conflict. Throws Unavailable.
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

private:
    struct Try {
        Connection& connection;
        bool prepare;
        bool committing = false;  // COMMIT may have been sent
    };
    void with_retries(std::string_view operation, const std::function<void(Try&)>& attempt);
    [[nodiscard]] bool may_retry(const SqlError& error, int tries);
    [[nodiscard]] Call configuration() const;
    [[nodiscard]] Call configuration_for_queue() const;
    [[nodiscard]] Session begin(Try& attempt, const Statement& begin);
    [[noreturn]] void outcome_unknown(std::string_view operation, const char* why);

    const Settings settings_;
    base::Log& log_;
    Pool pool_;
    const std::uint32_t shards_;
    std::atomic<bool> prepare_;
};

}  // namespace sundial::postgres
