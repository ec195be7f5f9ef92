#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/postgres/hash.hpp"
#include "application/events/schedule_event.hpp"
#include "application/schedules/plan_successors.hpp"
#include "postgres_storage.hpp"
#include "support/builders.hpp"
#include "support/deaf_ports.hpp"
#include "support/fake_ids.hpp"
#include "support/fake_time_zones.hpp"
#include "support/postgres_cluster.hpp"

/// An engine on a distributed database writes rows of one shard in each transaction, since another
/// shard may be on another machine (ADR 0060). A machine that is away stops its own rows only.
namespace sundial::postgres {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint32_t shards_of_one_phase = 32;

/// An event and its key are in one shard, as with the ids of a server.
class IdsOfShards final : public Ids {
public:
    Uuid fresh() override { return plain_.fresh(); }
    EventId event_id(const IdempotencyKey& first_key) override {
        EventId id = plain_.event_id(first_key);
        id.value.bytes.back() = last_byte_of_sha256(first_key.value);
        return id;
    }
    IdempotencyKey random_key() override { return plain_.random_key(); }
    IdempotencyKey generated_key(std::string_view schedule, std::optional<UserId> user,
                                 std::string_view occurrence) override {
        return plain_.generated_key(schedule, user, occurrence);
    }

private:
    FakeIds plain_;
};

/// Triggers record which shards each transaction writes, and refuse those of machines that are
/// away, as Citus does.
void watch_writes_once(const PostgresStorage& storage) {
    const std::string& url = storage.url();
    if (query(url, "SELECT to_regnamespace('watch') IS NULL")[0][0] == "f") return;
    flatten_history_once(storage);
    query(url, R"(
        CREATE SCHEMA watch;
        CREATE TABLE watch.writes (transaction xid8, shard smallint, PRIMARY KEY (transaction, shard));
        CREATE TABLE watch.away (shard smallint PRIMARY KEY);
        CREATE FUNCTION watch.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        DECLARE
            its smallint := CASE WHEN TG_OP = 'DELETE' THEN OLD.shard ELSE NEW.shard END;
        BEGIN
            IF EXISTS (SELECT FROM watch.away WHERE shard = its) THEN
                RAISE SQLSTATE '08006' USING MESSAGE = 'connection to the remote node failed';
            END IF;
            INSERT INTO watch.writes VALUES (pg_current_xact_id(), its) ON CONFLICT DO NOTHING;
            RETURN NULL;
        END $$;
        DO $$
        DECLARE
            watched text;
        BEGIN
            FOREACH watched IN ARRAY ARRAY['events', 'event_keys', 'attempts', 'event_moves', 'event_history'] LOOP
                EXECUTE format('CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON sundial.%I
                                FOR EACH ROW EXECUTE FUNCTION watch.note()', watched);
            END LOOP;
        END $$)");
}

class OnePhase : public testing::Test {
protected:
    OnePhase() {
        watch_writes_once(storage);
        query(storage.url(), "TRUNCATE watch.away; TRUNCATE watch.writes");
    }
    ~OnePhase() override { query(storage.url(), "TRUNCATE watch.away"); }

    Store& store() { return storage.store(); }
    [[nodiscard]] std::string one(const std::string& sql) const {
        return query(storage.url(), sql).at(0).at(0);
    }
    /// Transactions that have written rows of several shards.
    [[nodiscard]] std::string spread() const {
        return one(
            "SELECT count(*) FROM (SELECT FROM watch.writes GROUP BY transaction"
            " HAVING count(*) > 1) AS spread");
    }
    void forget_writes() { query(storage.url(), "TRUNCATE watch.writes"); }
    void take_away(std::uint32_t shard) {
        query(storage.url(), "INSERT INTO watch.away VALUES (" + std::to_string(shard) + ")");
    }
    void bring_back() { query(storage.url(), "TRUNCATE watch.away"); }

    static NewEvent with_key(const std::string& key) {
        NewEvent requested;
        requested.event_type = "REMINDER";
        requested.target.utc = "2027-06-01T00:00:00Z";
        requested.idempotency_key = key;
        return requested;
    }
    static std::vector<NewEvent> many(const std::string& prefix, int count) {
        std::vector<NewEvent> requested;
        for (int n = 0; n < count; ++n) {
            requested.push_back(with_key(prefix + std::to_string(n)));
        }
        return requested;
    }
    static std::uint32_t shard_of_key(const std::string& key) {
        return last_byte_of_sha256(key) % shards_of_one_phase;
    }
    [[nodiscard]] std::string stored() const { return one("SELECT count(*) FROM sundial.events"); }

    /// A schedule of its own for each, and its event, as a claim returns it. Their successors are
    /// in many shards.
    std::vector<SharedEvent> claimed_of_schedules(int count) {
        std::vector<SharedEvent> claimed;
        store().transact([&](Transaction& tx) {
            claimed.clear();
            for (int n = 0; n < count; ++n) {
                const Schedule hourly =
                    a_schedule()
                        .with_external_id("hourly-" + std::to_string(next_number()))
                        .with_trigger(EveryTrigger{1h})
                        .in("UTC");
                EXPECT_TRUE(tx.schedules().add(hourly).has_value());
                claimed.emplace_back(an_event()
                                         .of_type("BIRTHDAY")
                                         .in_shard(3)
                                         .of_schedule(hourly.id, nominal_of(at_noon))
                                         .due(noon)
                                         .build());
            }
            return true;
        });
        return claimed;
    }

    static constexpr WallTime at_noon =
        std::chrono::local_days{std::chrono::year{2027} / 1 / 5} + 12h;
    PostgresStorage storage{shards_of_one_phase, PostgresStorage::Fence::between_machines};
    FakeTimeZones zones;
    IdsOfShards ids;
    NoWakeups wakeups;
    ScheduleEvent schedule{store(), zones, ids, wakeups};
};

/// Without this, the other tests could not fail.
TEST_F(OnePhase, IsMissedByATransactionThatWritesTwoShards) {
    store().transact([](Transaction& tx) {
        return tx.events().add(an_event().in_shard(3)).has_value() &&
               tx.events().add(an_event().in_shard(4)).has_value();
    });
    EXPECT_EQ(spread(), "1");
}

TEST_F(OnePhase, IsEnoughForEventsThatManyClientsCreateAtOnce) {
    std::vector<std::future<int>> clients;
    for (int client = 0; client < 8; ++client) {
        clients.push_back(std::async(std::launch::async, [this, client] {
            int created = 0;
            for (const NewEvent& one : many("c" + std::to_string(client) + "-", 20)) {
                created += schedule.run(one).has_value() ? 1 : 0;
            }
            return created;
        }));
    }
    int created = 0;
    for (auto& client : clients) created += client.get();
    EXPECT_EQ(created, 160);
    EXPECT_EQ(stored(), "160");
    EXPECT_EQ(spread(), "0");
}

TEST_F(OnePhase, IsEnoughForABatchThatNeedNotBeAtomic) {
    const auto requested = many("batch-", 100);
    const auto answers = schedule.run_each(requested);
    ASSERT_THAT(answers, SizeIs(100));
    for (std::size_t i = 0; i < answers.size(); ++i) {
        ASSERT_TRUE(answers[i]);
        EXPECT_EQ(answers[i]->key.value, requested[i].idempotency_key);
    }
    EXPECT_EQ(stored(), "100");
    EXPECT_EQ(spread(), "0");

    EXPECT_THAT(schedule.run_all(many("atomic-", 100)), SizeIs(100));
    EXPECT_EQ(spread(), "1");
}

TEST_F(OnePhase, StoresTheEventsOfOtherMachinesWhileOneIsAway) {
    const auto requested = many("away-", 100);
    const std::uint32_t away = shard_of_key("away-0");
    take_away(away);
    std::size_t missing = 0;
    try {
        (void)schedule.run_each(requested);
        FAIL() << "a machine is away";
    } catch (const PartlyStored& partly) {
        ASSERT_THAT(partly.known, SizeIs(100));
        EXPECT_FALSE(partly.outcome_unknown);
        for (std::size_t i = 0; i < requested.size(); ++i) {
            const bool is_away = shard_of_key(*requested[i].idempotency_key) == away;
            EXPECT_EQ(partly.known[i].has_value(), !is_away);
            if (partly.known[i]) {
                EXPECT_TRUE(partly.known[i]->has_value());
            }
            missing += is_away ? 1U : 0U;
        }
    }
    EXPECT_EQ(stored(), std::to_string(100 - missing));
    EXPECT_FALSE(schedule.run_each(std::vector{with_key("elsewhere")}).empty());

    bring_back();
    std::size_t stored_now = 0;
    for (const auto& answer : schedule.run_each(requested)) {
        if (answer) {
            ++stored_now;
        } else {
            EXPECT_TRUE(std::holds_alternative<DuplicateIdempotencyKey>(answer.error()));
        }
    }
    EXPECT_EQ(stored_now, missing);
    EXPECT_EQ(stored(), "101");
}

TEST_F(OnePhase, SaysSoIfAllMachinesOfABatchAreAway) {
    const auto requested = many("none-", 20);
    for (std::uint32_t shard = 0; shard < shards_of_one_phase; ++shard) take_away(shard);
    try {
        (void)schedule.run_each(requested);
        FAIL() << "all machines are away";
    } catch (const PartlyStored&) {
        FAIL() << "no event is stored";
    } catch (const Unavailable&) {
        EXPECT_EQ(stored(), "0");
    }
}

TEST_F(OnePhase, IsEnoughForRetention) {
    query(storage.url(), R"(
        INSERT INTO sundial.attempts (shard, event_id, number, outcome, recorded_at)
        SELECT n % 32, gen_random_uuid(), 1, 'RETRYABLE', sundial.clock() - interval '60 days'
          FROM generate_series(1, 320) AS n;
        INSERT INTO sundial.event_keys (shard, key, event_id, expires_at)
        SELECT n % 32, 'old-' || n, ('00000000-0000-0000-0000-0000000000' || lpad(to_hex(n % 32), 2, '0'))::uuid,
               sundial.clock() - interval '1 day'
          FROM generate_series(1, 320) AS n;
        INSERT INTO sundial.event_history
            (shard, id, status, priority, finished_at, version, attempt, retry_count, due,
             idempotency_key, event_type, zone, gap, overlap, tz_release, payload, created_at, updated_at)
        SELECT n % 32, gen_random_uuid(), 'COMPLETED', 2, sundial.clock() - interval '900 days', 1, 1, 0,
               now(), 'k' || n, 'T', 'UTC', 'compatible', 'compatible', '2025b', '{}', now(), now()
          FROM generate_series(1, 320) AS n)");
    forget_writes();
    constexpr std::uint32_t away = 5;
    take_away(away);
    const auto forget = [&] {
        for (const auto& [what, age] : {std::pair{Kept::attempts, 30}, std::pair{Kept::keys, 400},
                                        std::pair{Kept::completed, 90}}) {
            while (storage.retention().forget(what, std::chrono::days{age}, 64)) {
            }
        }
    };
    const auto left = [&] {
        return query(storage.url(), R"(
            SELECT count(*), min(shard), max(shard)
              FROM (SELECT shard FROM sundial.attempts UNION ALL SELECT shard FROM sundial.event_keys
                    UNION ALL SELECT shard FROM sundial.event_history) AS rows)");
    };
    forget();
    EXPECT_EQ(left(), (std::vector<std::vector<std::string>>{{"30", "5", "5"}}));
    bring_back();
    forget();
    EXPECT_EQ(left()[0][0], "0");
    EXPECT_EQ(spread(), "0");
    EXPECT_EQ(one("SELECT count(DISTINCT shard) FROM watch.writes"), "32");
}

TEST_F(OnePhase, PlansTheSuccessorsOfOtherMachinesWhileOneIsAway) {
    const auto claimed = claimed_of_schedules(40);
    PlanSuccessors plan{store(), zones, ids};
    EXPECT_THAT(plan.run(claimed).unplanned, IsEmpty());
    const auto shards = query(storage.url(), "SELECT DISTINCT shard FROM sundial.events");
    ASSERT_GT(shards.size(), 10U);

    query(storage.url(), "DELETE FROM sundial.events; DELETE FROM sundial.event_keys");
    take_away(static_cast<std::uint32_t>(std::stoul(shards[0][0])));
    const Planning some = plan.run(claimed);
    EXPECT_FALSE(some.unplanned.empty());
    EXPECT_LT(some.unplanned.size(), 40U);
    EXPECT_EQ(stored(), std::to_string(40 - some.unplanned.size()));
    EXPECT_THAT(some.schedules, SizeIs(40 - some.unplanned.size()));

    bring_back();
    const Planning rest = plan.run(claimed);
    EXPECT_THAT(rest.unplanned, IsEmpty());
    EXPECT_EQ(rest.stored.at("BIRTHDAY"), some.unplanned.size());
    EXPECT_EQ(stored(), "40");
}

TEST_F(OnePhase, RepeatsAPlanThatOneMachineOnlyNeeds) {
    const auto claimed = claimed_of_schedules(1);
    for (std::uint32_t shard = 0; shard < shards_of_one_phase; ++shard) take_away(shard);
    PlanSuccessors plan{store(), zones, ids};
    EXPECT_THROW((void)plan.run(claimed), Unavailable);
}

TEST_F(OnePhase, SendsOthersIfTheOnlySuccessorNeedsAMachineThatIsAway) {
    auto claimed = claimed_of_schedules(1);
    const EventId away = claimed.front()->id;
    claimed.emplace_back(an_event().due(noon).build());
    for (std::uint32_t shard = 0; shard < shards_of_one_phase; ++shard) take_away(shard);
    PlanSuccessors plan{store(), zones, ids};
    EXPECT_THAT(plan.run(claimed).unplanned, ElementsAre(away));
}

}  // namespace
}  // namespace sundial::postgres
