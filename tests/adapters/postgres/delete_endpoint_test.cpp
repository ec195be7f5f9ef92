#include "application/endpoints/delete_endpoint.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "adapters/postgres/open.hpp"
#include "application/events/edit_event.hpp"
#include "application/events/retry_event.hpp"
#include "application/events/schedule_event.hpp"
#include "contract/settlements.hpp"
#include "contract/storage.hpp"
#include "patient.hpp"
#include "support/builders.hpp"
#include "support/deaf_ports.hpp"
#include "support/fake_ids.hpp"
#include "support/fake_time_zones.hpp"
#include "support/migrated_database.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

/// An endpoint is deleted while another transaction gives an event to it. One of them waits for the
/// other, so that no live event points to an endpoint that is gone.
namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

class DeletionOfAnEndpoint : public testing::Test {
protected:
    DeletionOfAnEndpoint() {
        store().transact([&](Transaction& tx) { return tx.endpoints().add(endpoint).has_value(); });
    }

    Store& store() { return database->store(); }
    Result<void> remove() {
        return delete_endpoint.run(to_string(endpoint.id), EventsOfEndpoint::prevent, std::nullopt,
                                   "req-1");
    }
    Result<Event> create() {
        NewEvent requested;
        requested.event_type = "REMINDER";
        requested.endpoint = to_string(endpoint.id);
        requested.target.utc = "2027-06-01T00:00:00Z";
        return schedule_event.run(requested);
    }
    /// Gives the endpoint to an event that has another.
    Result<Event> move(const Event& event) {
        EventEdit edit;
        edit.endpoint = to_string(endpoint.id);
        return edit_event.run(to_string(event.id), edit, std::nullopt, "req-1");
    }
    Event stored(const Event& event) {
        store().transact([&](Transaction& tx) { return tx.events().add(event).has_value(); });
        return event;
    }
    Event a_dead_letter() {
        const Event event = stored(an_event().to_endpoint(endpoint.id).due(Instant{}));
        const Claimed claimed = database->queue().claim_ready({.by = instance_a,
                                                               .shard = shard_of(event.id, 16),
                                                               .shares = {9, 9, 9, 9},
                                                               .lease = 30s});
        const auto settlement = refused(claimed.events.at(0).event, claimed.now);
        EXPECT_TRUE(database->queue().settle(std::vector{settlement}).at(0));
        return event;
    }

    /// Runs `first` in a transaction that stays open until `second`, in another thread, waits for
    /// it or has finished. Returns whether `second` has waited, and its result.
    template <class Answer>
    std::pair<bool, Answer> overlapped(const std::function<void()>& first,
                                       const std::function<Answer()>& second) {
        bool waits = false;
        std::future<Answer> answer;
        store().transact([&](Transaction&) {
            first();
            answer = std::async(std::launch::async, second);
            while (!waits && answer.wait_for(0s) != std::future_status::ready) {
                waits = is_a_lock_waited_for();
            }
            return true;
        });
        return {waits, answer.get()};
    }
    [[nodiscard]] bool is_a_lock_waited_for() const {
        return query(url,
                     "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                     "datname = current_database()")
                   .size() == 1;
    }
    /// No wait may time out while the test asks the server who waits.
    [[nodiscard]] Settings settings() const {
        Settings settings = patient(url);
        settings.pool_size = 7;
        return settings;
    }
    std::optional<Endpoint> kept() {
        return in_read(store(), [&](Transaction& tx) { return tx.endpoints().find(endpoint.id); });
    }
    std::uint64_t live_events() {
        return in_read(store(), [&](Transaction& tx) {
            return tx.events().count_live_of_endpoint(endpoint.id);
        });
    }

    /// The deletion starts while `give` is not committed yet.
    void expect_counted(const std::function<void()>& give) {
        const auto [waited, deleted] = overlapped<Result<void>>(give, [this] { return remove(); });
        EXPECT_TRUE(waited);
        ASSERT_TRUE(is<EndpointInUse>(deleted));
        EXPECT_EQ(std::get<EndpointInUse>(deleted.error()).events, 1U);
        EXPECT_TRUE(kept());
        EXPECT_EQ(live_events(), 1U);
    }
    /// `give` starts while the deletion is not committed yet. Returns its result.
    template <class Answer>
    Answer after_deletion(const std::function<Answer()>& give) {
        auto [waited, given] = overlapped<Answer>([this] { EXPECT_TRUE(remove()); }, give);
        EXPECT_TRUE(waited);
        EXPECT_FALSE(kept());
        EXPECT_EQ(live_events(), 0U);
        return std::move(given);
    }

    const std::string url = migrated_database();
    RecordedLog log;
    const std::unique_ptr<PostgresDatabase> database = PostgresDatabase::open(settings(), log);
    FakeTimeZones zones;
    FakeIds ids;
    NoWakeups wakeups;
    ScheduleEvent schedule_event{store(), zones, ids, wakeups};
    EditEvent edit_event{store(), zones, ids, wakeups};
    RetryEvent retry_event{store(), ids, wakeups};
    DeleteEndpoint delete_endpoint{store(), zones, ids, wakeups};
    const Endpoint endpoint = an_endpoint();
};

TEST_F(DeletionOfAnEndpoint, CountsAnEventThatIsBeingCreated) {
    expect_counted([this] { EXPECT_TRUE(create()); });
}

TEST_F(DeletionOfAnEndpoint, CountsAnEventThatIsBeingMovedToIt) {
    const Event event = stored(an_event().due(noon + 1h));
    expect_counted([&] { EXPECT_TRUE(move(event)); });
}

TEST_F(DeletionOfAnEndpoint, CountsADeadLetterThatIsBeingRetried) {
    const Event event = a_dead_letter();
    expect_counted(
        [&] { EXPECT_TRUE(retry_event.run(to_string(event.id), RetryKey::same, "req-1")); });
}

TEST_F(DeletionOfAnEndpoint, LetsNoEventBeCreatedMeanwhile) {
    const auto created = after_deletion<Result<Event>>([this] { return create(); });
    ASSERT_TRUE(is<ValidationFailed>(created));
    EXPECT_EQ(std::get<ValidationFailed>(created.error()).errors.at(0).pointer, "/endpointId");
}

TEST_F(DeletionOfAnEndpoint, LetsNoEventBeMovedToItMeanwhile) {
    const Event event = stored(an_event().due(noon + 1h));
    const auto moved = after_deletion<Result<Event>>([&] { return move(event); });
    ASSERT_TRUE(is<ValidationFailed>(moved));
    EXPECT_EQ(std::get<ValidationFailed>(moved.error()).errors.at(0).pointer, "/endpointId");
}

TEST_F(DeletionOfAnEndpoint, LetsNoDeadLetterBeRetriedMeanwhile) {
    const Event event = a_dead_letter();
    const auto retried = after_deletion<Result<RetriedEvent>>(
        [&] { return retry_event.run(to_string(event.id), RetryKey::same, "req-1"); });
    ASSERT_TRUE(is<NotFound>(retried));
    EXPECT_EQ(std::get<NotFound>(retried.error()).noun, Noun::endpoint);
}

/// A transaction of an application may create an event and stay open for long.
TEST_F(DeletionOfAnEndpoint, AloneWaitsForTransactionsThatGiveItEvents) {
    const auto [waited, edited] = overlapped<bool>(
        [this] { EXPECT_TRUE(create()); },
        [this] {
            Endpoint changed = endpoint;
            changed.enabled = false;
            changed.version = Version{2};
            return in_transaction(store(),
                                  [&](Transaction& tx) {
                                      EXPECT_TRUE(tx.endpoints().lock(endpoint.id));
                                      return tx.endpoints().update(changed);
                                  })
                .has_value();
        });
    EXPECT_FALSE(waited);
    EXPECT_TRUE(edited);
}

}  // namespace
}  // namespace sundial::postgres
