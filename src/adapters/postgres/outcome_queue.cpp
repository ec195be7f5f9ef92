#include "application/ports/outcome_queue.hpp"

#include <memory>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/statement.hpp"

/// SQL statements for the queues of outcomes. A trigger fills them.
namespace sundial::postgres::sql {

/// $1 follower, $2 event types.
inline constexpr Statement follow_outcomes{"follow_outcomes",
                                           "SELECT sundial.follow_outcomes($1, $2)"};
inline constexpr Statement forget_follower{"forget_follower", R"sql(
    DELETE FROM sundial.outcome_followers WHERE name = $1)sql"};
inline constexpr Statement forget_outcomes{"forget_outcomes", R"sql(
    DELETE FROM sundial.outcome_queue WHERE follower = $1)sql"};
/// $1 follower, $2 limit.
inline constexpr Statement queued_outcomes{"queued_outcomes", R"sql(
    SELECT number, event_id FROM sundial.outcome_queue
     WHERE follower = $1 ORDER BY number LIMIT $2)sql"};
/// $1 follower, $2 numbers.
inline constexpr Statement remove_outcomes{"remove_outcomes", R"sql(
    DELETE FROM sundial.outcome_queue WHERE follower = $1 AND number = ANY ($2::bigint[]))sql"};
inline constexpr Statement count_outcomes{"count_outcomes", R"sql(
    SELECT count(*) FROM sundial.outcome_queue WHERE follower = $1)sql"};

}  // namespace sundial::postgres::sql

namespace sundial::postgres {
namespace {

QueuedOutcome queued_outcome_in(const Row& row) {
    return {row.get<std::uint64_t>("number"), row.get<EventId>("event_id")};
}

class PostgresOutcomeQueue final : public OutcomeQueue {
public:
    explicit PostgresOutcomeQueue(Session& session) : session_{session} {}

    void follow(const std::string& follower, const std::vector<std::string>& event_types) override {
        session_.run(sql::follow_outcomes, follower, event_types);
    }
    bool forget(const std::string& follower) override {
        // First the follower: this waits for transactions that queue outcomes for it, so that the
        // next statement sees all of them.
        const bool existed = session_.run(sql::forget_follower, follower).changed() > 0;
        session_.run(sql::forget_outcomes, follower);
        return existed;
    }
    std::vector<QueuedOutcome> queued(const std::string& follower, std::size_t limit) override {
        return each_row(
            session_.run(sql::queued_outcomes, follower, static_cast<std::int64_t>(limit)),
            queued_outcome_in);
    }
    void remove(const std::string& follower, std::span<const std::uint64_t> numbers) override {
        if (numbers.empty()) return;
        session_.run(sql::remove_outcomes, follower,
                     std::vector<std::int64_t>(numbers.begin(), numbers.end()));
    }
    std::uint64_t count(const std::string& follower) override {
        return session_.run(sql::count_outcomes, follower).get<std::uint64_t>(0, 0);
    }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<OutcomeQueue> make_outcome_queue(Session& session) {
    return std::make_unique<PostgresOutcomeQueue>(session);
}

}  // namespace sundial::postgres
