#include <array>
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "adapters/postgres/connection.hpp"
#include "contract/retention_contract.hpp"
#include "postgres_storage.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial {
namespace {

template <std::uint32_t shards>
class With {
public:
    Store& store() { return storage_.store(); }
    EventQueue& queue() { return storage_.queue(); }
    Clock& clock() { return storage_.clock(); }
    Retention& retention() { return storage_.retention(); }

private:
    postgres::PostgresStorage storage_{shards};
};

}  // namespace

using Kinds = testing::Types<With<1>, With<16>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Postgres, RetentionContract, Kinds);

namespace postgres {

/// As if a user retried an event that failed long ago.
TEST(PostgresRetention, ForgetsNoKeyThatIsTakenOverMeanwhile) {
    PostgresStorage storage{1};
    query(storage.url(), R"(
        INSERT INTO sundial.event_keys (shard, key, event_id, expires_at)
        VALUES (0, 'k', gen_random_uuid(), sundial.clock() - interval '1 day'))");
    RecordedLog log;
    Connection other{storage.url(), log};
    constexpr Statement begin{"begin", "BEGIN"}, commit{"commit", "COMMIT"};
    constexpr Statement take_over{"take_over", R"(
        UPDATE sundial.event_keys
           SET event_id = gen_random_uuid(), expires_at = sundial.clock() + interval '400 days')"};
    (void)other.run(std::array{Call{begin}, Call{take_over}}, false, 30s);
    auto forgotten = std::async(std::launch::async, [&] {
        return storage.retention().forget(Kept::keys, std::chrono::days{400}, 10);
    });
    const std::string waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
        "datname = current_database()";
    const auto give_up = std::chrono::steady_clock::now() + 20s;
    while (query(storage.url(), waiting)[0][0] == "0") {
        ASSERT_LT(std::chrono::steady_clock::now(), give_up);
        std::this_thread::yield();
    }
    (void)other.run(std::array{Call{commit}}, false, 30s);
    (void)forgotten.get();
    EXPECT_EQ(query(storage.url(), "SELECT count(*) FROM sundial.event_keys")[0][0], "1");
}

}  // namespace postgres

}  // namespace sundial
