#include "application/ports/store.hpp"

#include <memory>

#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/time.hpp"
#include "adapters/sqlite/transaction_sql.hpp"
#include "adapters/sqlite/value.hpp"
#include "adapters/sqlite/writer.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/retention.hpp"
#include "application/transactions/transaction_of.hpp"

/// Deletions by retention. ?1 older than this, ?2 limit.
namespace sundial::sqlite::sql {

inline constexpr Statement forget_completed{R"sql(
    DELETE FROM event_history
     WHERE id IN (SELECT id FROM event_history
                   WHERE finished_at < ?1 AND status <> 'FAILED' ORDER BY finished_at LIMIT ?2)
    RETURNING status)sql"};
inline constexpr Statement forget_failed{R"sql(
    DELETE FROM event_history
     WHERE id IN (SELECT id FROM event_history
                   WHERE finished_at < ?1 AND status = 'FAILED' ORDER BY finished_at LIMIT ?2)
    RETURNING status)sql"};
inline constexpr Statement forget_attempts{R"sql(
    DELETE FROM attempts
     WHERE (event_id, number) IN (SELECT event_id, number FROM attempts
                                   WHERE recorded_at < ?1 ORDER BY recorded_at LIMIT ?2))sql"};
/// Keeps keys of future events.
inline constexpr Statement forget_keys{R"sql(
    DELETE FROM event_keys
     WHERE key IN (SELECT key FROM event_keys
                    WHERE expires_at < ?1
                      AND NOT EXISTS (SELECT 1 FROM events WHERE events.id = event_keys.event_id)
                    ORDER BY expires_at LIMIT ?2))sql"};
inline constexpr Statement forget_skips{R"sql(
    DELETE FROM skipped_runs
     WHERE id IN (SELECT id FROM skipped_runs
                   WHERE recorded_at < ?1 ORDER BY recorded_at LIMIT ?2))sql"};

}  // namespace sundial::sqlite::sql

namespace sundial::sqlite {
namespace {

class SqliteStore final : public Store {
public:
    SqliteStore(Writer& writer, Readers& readers) : writer_{writer}, readers_{readers} {}

    void transact(const std::function<bool(Transaction&)>& work) override {
        writer_.run([&](Session& session) {
            TransactionOf<Session> transaction{session};
            return work(transaction);
        });
    }

    void read(const std::function<void(Transaction&)>& work) override {
        const auto query = [&](Session& session) {
            TransactionOf<Session> transaction{session};
            work(transaction);
        };
        // Inside a transaction, a read must see its changes.
        if (Session* const open = writer_.open_here()) return query(*open);
        readers_.run(query);
    }

    [[nodiscard]] bool open_here() override { return writer_.open_here() != nullptr; }

private:
    Writer& writer_;
    Readers& readers_;
};

}  // namespace

std::unique_ptr<Store> make_store(Writer& writer, Readers& readers) {
    return std::make_unique<SqliteStore>(writer, readers);
}

namespace {

class SqliteClock final : public Clock {
public:
    SqliteClock(Time& time, Writer& writer) : time_{time}, writer_{writer} {}
    Instant now() override { return time_.now(); }
    [[nodiscard]] bool is_test() const override { return time_.is_test(); }

    Result<void, ClockNotTest, ValidationFailed> set(Instant now) override {
        if (!is_test()) return ClockNotTest{};
        bool back = false;
        writer_.run([&](Session& session) {
            back = now < session.now;
            if (back) return false;
            session.connection.execute(sql::set_setting, std::string_view{"time"}, now);
            // Later jobs of the same commit see the new time. If the commit fails, the file is
            // broken anyway.
            time_.move(now);
            return true;
        });
        if (back) return invalid("/now", "out_of_range", "the clock never moves backward");
        return {};
    }

private:
    Time& time_;
    Writer& writer_;
};

}  // namespace

std::unique_ptr<Clock> make_clock(Time& time, Writer& writer) {
    return std::make_unique<SqliteClock>(time, writer);
}

namespace {

/// Finished events are counted, so their removal is counted too.
std::size_t forget_events(Session& session, const Statement& statement, Instant before,
                          std::size_t limit) {
    std::size_t rows = 0;
    auto row = session.connection.query(statement, before, limit);
    for (; row.next(); ++rows) {
        session.ledger.removed(standing_of_finished(row.get<EventStatus>(0)), 1);
    }
    return rows;
}

std::size_t forget_in(Session& session, Kept what, std::chrono::microseconds age,
                      std::size_t limit) {
    const Instant before = session.now - age;
    Connection& connection = session.connection;
    switch (what) {
        case Kept::completed:
            return forget_events(session, sql::forget_completed, before, limit);
        case Kept::failed:
            return forget_events(session, sql::forget_failed, before, limit);
        case Kept::attempts:
            return static_cast<std::size_t>(
                connection.execute(sql::forget_attempts, before, limit));
        case Kept::keys:
            return static_cast<std::size_t>(
                connection.execute(sql::forget_keys, before + key_kept_for, limit));
        case Kept::skips:
            break;
    }
    return static_cast<std::size_t>(connection.execute(sql::forget_skips, before, limit));
}

class SqliteRetention final : public Retention {
public:
    explicit SqliteRetention(Writer& writer) : writer_{writer} {}

    bool forget(Kept what, std::chrono::microseconds age, std::size_t limit) override {
        std::size_t rows = 0;
        writer_.run([&](Session& session) {
            rows = forget_in(session, what, age, limit);
            return rows > 0;
        });
        return rows == limit;
    }

private:
    Writer& writer_;
};

}  // namespace

std::unique_ptr<Retention> make_retention(Writer& writer) {
    return std::make_unique<SqliteRetention>(writer);
}

}  // namespace sundial::sqlite
