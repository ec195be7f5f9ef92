#include "application/ports/store.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/migration_sql.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/retention_sql.hpp"
#include "adapters/postgres/transaction_sql.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/retention.hpp"
#include "application/transactions/transaction_of.hpp"

namespace sundial::postgres {
namespace {

class PostgresStore final : public Store {
public:
    explicit PostgresStore(Database& database) : database_{database} {}

    void transact(const std::function<bool(Transaction&)>& work) override {
        database_.write("transact", [&](Session& session) {
            TransactionOf<Session> transaction{session};
            return work(transaction);
        });
    }

    void read(const std::function<void(Transaction&)>& work) override {
        database_.read("read", [&](Session& session) {
            TransactionOf<Session> transaction{session};
            work(transaction);
        });
    }

    std::optional<Appended> append_at_once(ExpectedVersion expected,
                                           std::span<const RecordedEvent> batch) override {
        return postgres::append_at_once(database_, expected, batch);
    }
    [[nodiscard]] bool open_here() override { return database_.open_here(); }

private:
    Database& database_;
};

}  // namespace

std::unique_ptr<Store> make_store(Database& database) {
    return std::make_unique<PostgresStore>(database);
}

namespace {

/// Reads sundial.clock().
class PostgresClock final : public Clock {
public:
    PostgresClock(Database& database, bool is_test) : database_{database}, is_test_{is_test} {}
    Instant now() override { return database_.run("clock", Database::Effect::none, {}).now; }
    [[nodiscard]] bool is_test() const override { return is_test_; }

    Result<void, ClockNotTest, ValidationFailed> set(Instant now) override {
        if (!is_test_) return ClockNotTest{};
        const Call set{sql::set_clock, now};
        const auto done = database_.run("set clock", Database::Effect::repeatable, {&set, 1});
        if (done.answers.front().changed() == 1) return {};
        return invalid("/now", "out_of_range", "the clock never moves backward");
    }

private:
    Database& database_;
    const bool is_test_;
};

}  // namespace

std::unique_ptr<Clock> make_clock(Database& database, bool is_test) {
    return std::make_unique<PostgresClock>(database, is_test);
}

namespace {

/// A key's `expires_at` is this much later than the instant from which its age counts
/// (event_sql.hpp).
constexpr std::chrono::microseconds in_expiry = std::chrono::days{400};

std::size_t forget_events(Session& session, std::string_view kind, Instant before,
                          std::int64_t limit) {
    session.run(sql::make_history_partitions);  // for the coming months, as at startup
    session.run(sql::drop_history_partitions, kind, before);
    return static_cast<std::size_t>(
        session.run(sql::forget_history_rest, kind, before, limit).get<std::int64_t>(0, 0));
}

std::size_t forget_in(Session& session, Kept what, std::chrono::microseconds age,
                      std::int64_t limit) {
    const Instant before = session.now() - age;
    switch (what) {
        case Kept::completed:
            return forget_events(session, "done", before, limit);
        case Kept::failed:
            return forget_events(session, "failed", before, limit);
        case Kept::attempts:
            return session.run(sql::forget_attempts, before, limit).changed();
        case Kept::keys:
            return session
                .run(sql::forget_keys, before + in_expiry, limit,
                     static_cast<std::int32_t>(session.shards()))
                .changed();
        case Kept::skips:
            break;
    }
    return session.run(sql::forget_skips, before, limit).changed();
}

class PostgresRetention final : public Retention {
public:
    explicit PostgresRetention(Database& database) : database_{database} {}

    bool forget(Kept what, std::chrono::microseconds age, std::size_t limit) override {
        std::size_t rows = 0;
        database_.write("retention", [&](Session& session) {
            rows = forget_in(session, what, age, static_cast<std::int64_t>(limit));
            return true;
        });
        return rows == limit;
    }

private:
    Database& database_;
};

}  // namespace

std::unique_ptr<Retention> make_retention(Database& database) {
    return std::make_unique<PostgresRetention>(database);
}

}  // namespace sundial::postgres
