#include "application/ports/store.hpp"

#include <cstdint>
#include <memory>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/transaction_sql.hpp"
#include "application/ports/clock.hpp"
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
    [[nodiscard]] std::uint32_t parts() const override {
        return database_.distributed() ? database_.shards() : 1;
    }

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

}  // namespace sundial::postgres
