#include "application/ports/outcome_queue.hpp"

#include <memory>

#include "adapters/sqlite/json_text.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/value.hpp"

/// SQL statements for the queues of outcomes. A trigger fills them.
namespace sundial::sqlite::sql {

/// ?2 event types (JSON array), ?3 time.
inline constexpr Statement follow_outcomes{R"sql(
    INSERT INTO outcome_followers (name, event_types, made_at) VALUES (?1, ?2, ?3)
    ON CONFLICT DO UPDATE SET event_types = excluded.event_types)sql"};
inline constexpr Statement forget_outcomes{"DELETE FROM outcome_queue WHERE follower = ?1"};
inline constexpr Statement forget_follower{"DELETE FROM outcome_followers WHERE name = ?1"};
/// ?2 limit.
inline constexpr Statement queued_outcomes{R"sql(
    SELECT number, event_id FROM outcome_queue WHERE follower = ?1 ORDER BY number LIMIT ?2)sql"};
inline constexpr Statement remove_outcome{
    "DELETE FROM outcome_queue WHERE follower = ?1 AND number = ?2"};
inline constexpr Statement count_outcomes{"SELECT count(*) FROM outcome_queue WHERE follower = ?1"};

}  // namespace sundial::sqlite::sql

namespace sundial::sqlite {
namespace {

QueuedOutcome read_queued_outcome(Cursor& row) {
    const auto number = row.take<std::uint64_t>();
    return {number, row.take<EventId>()};
}

class SqliteOutcomeQueue final : public OutcomeQueue {
public:
    explicit SqliteOutcomeQueue(Session& session)
        : connection_{session.connection}, now_{session.now} {}

    void follow(const std::string& follower, const std::vector<std::string>& event_types) override {
        const std::string types = event_types.empty() ? "[]" : array_of(event_types);
        connection_.execute(sql::follow_outcomes, follower, types, now_);
    }
    bool forget(const std::string& follower) override {
        connection_.execute(sql::forget_outcomes, follower);
        return connection_.execute(sql::forget_follower, follower) > 0;
    }
    std::vector<QueuedOutcome> queued(const std::string& follower, std::size_t limit) override {
        return all_of(connection_.query(sql::queued_outcomes, follower, limit),
                      read_queued_outcome);
    }
    void remove(const std::string& follower, std::span<const std::uint64_t> numbers) override {
        for (const std::uint64_t number : numbers) {
            connection_.execute(sql::remove_outcome, follower, number);
        }
    }
    std::uint64_t count(const std::string& follower) override {
        auto row = connection_.query(sql::count_outcomes, follower);
        return row.next() ? row.take<std::uint64_t>() : 0;
    }

private:
    Connection& connection_;
    const Instant now_;
};

}  // namespace

std::unique_ptr<OutcomeQueue> make_outcome_queue(Session& session) {
    return std::make_unique<SqliteOutcomeQueue>(session);
}

}  // namespace sundial::sqlite
